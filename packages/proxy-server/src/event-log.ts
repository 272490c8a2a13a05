/**
 * The events of one stream, numbered from 1, and how far they have been read.
 *
 * What was not read yet is kept, and of what was read as much as a client that comes back may have missed.
 */

/** How much is handed out at once. Characters. */
const CHUNK = 16_384

/** What was dropped is cut off the front of the list once that much of it is there. */
const COMPACT_AT = 1024

/** See the head of this file. */
export class EventLog {
  readonly #keep: number
  #events: string[] = []
  /** Where in the list the first event that is kept is, and its number. */
  #head = 0
  #first = 1
  /** The number of the last event that was read. */
  #position = 0
  #readChars = 0
  #unreadChars = 0

  /** @param keep How much of what was read is kept. Characters. */
  constructor(keep: number) {
    this.#keep = keep
  }

  /** The number of the last event there is. */
  get last(): number {
    return this.#first + this.#events.length - this.#head - 1
  }

  get unreadChars(): number {
    return this.#unreadChars
  }

  /** @param data One line. */
  append(data: string): void {
    this.#events.push(data)
    this.#unreadChars += data.length
  }

  /** @returns the next events as they go over the wire, in one piece; undefined when all have been read. */
  read(): string | undefined {
    let text = ""
    const { last } = this
    while (this.#position < last && text.length < CHUNK) {
      const data = this.#event(++this.#position)
      text += toFrame(this.#position, data)
      this.#unreadChars -= data.length
      this.#readChars += data.length
    }
    this.#forget()
    return text === "" ? undefined : text
  }

  /**
   * Goes back, or forth, to read on behind this event.
   *
   * @returns false when it was never there, or what follows it is not kept any more.
   */
  seek(after: number): boolean {
    if (!(after >= this.#first - 1 && after <= this.last)) return false
    this.#position = after
    this.#readChars = 0
    this.#unreadChars = 0
    for (let id = this.#first; id <= this.last; id++) {
      if (id <= after) this.#readChars += this.#event(id).length
      else this.#unreadChars += this.#event(id).length
    }
    return true
  }

  /** Counts everything as read. */
  skip(): void {
    this.#position = this.last
    this.#readChars += this.#unreadChars
    this.#unreadChars = 0
    this.#forget()
  }

  #event(id: number): string {
    return this.#events[this.#head + id - this.#first] ?? ""
  }

  #forget(): void {
    while (this.#first <= this.#position) {
      const { length } = this.#event(this.#first)
      if (this.#readChars - length < this.#keep) break
      this.#readChars -= length
      this.#events[this.#head++] = ""
      this.#first++
    }
    if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#events.length) {
      this.#events = this.#events.slice(this.#head)
      this.#head = 0
    }
  }
}

/** @returns an event as it goes over the wire. */
export function toFrame(id: number, data: string): string {
  return `id: ${id}\ndata: ${data}\n\n`
}
