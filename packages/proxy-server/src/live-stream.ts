/**
 * One answer while it is made, and for as long as its client may come back for it.
 *
 * It has an upstream that writes, a log, and at most one reader at a time: a reader that comes takes over from the
 * one before, which is often a connection that is dead and does not know it. Without a reader the upstream goes on
 * for a grace period, or not at all.
 */
import type { Model, SimpleStreamOptions, StreamFn } from "@heddle/types"
import { EventLog } from "./event-log.ts"
import { Upstream, type UpstreamListener } from "./upstream.ts"

/** What a stream is told about itself. */
export interface LiveStreamOptions {
  readonly model: Model
  /** Whose it is. */
  readonly owner: string
  /** How long it waits for a reader. Milliseconds; undefined: not at all. */
  readonly graceMs: number | undefined
  readonly translate?: UpstreamListener["translate"]
  readonly maxBufferedChars: number
  readonly maxReplayChars: number
  readonly onError: (error: unknown) => void
  /** Gets every event. */
  readonly onEvent?: ((data: string, isTerminal: boolean) => void) | undefined
  /** Nobody can come back for it any more. */
  readonly onForgotten: () => void
}

/** What reads a stream. */
export interface EventReader {
  /** @returns the next events as they go over the wire; undefined when there are none yet. */
  read(): string | undefined
  /** All events have been read. */
  readonly isDone: boolean
  /** Somebody else reads them now. */
  readonly isReplaced: boolean
  /** Called whenever one of these may have changed. */
  onNews: () => void
  /** Nobody reads any more. */
  leave(): void
}

/** A StreamFn that is faster than its reader, and does not wait, is cut off here. Characters. */
const MOST_UNREAD = 16 * 1024 * 1024

/** See the head of this file. */
export class LiveStream {
  readonly owner: string
  readonly #options: LiveStreamOptions
  readonly #log: EventLog
  readonly #upstream: Upstream
  #reader: LocalReader | undefined
  /** Readers in other processes. */
  #remoteReaders = 0
  #grace: ReturnType<typeof setTimeout> | undefined
  #room: Promise<void> | undefined
  #makeRoom: (() => void) | undefined

  constructor(options: LiveStreamOptions) {
    this.owner = options.owner
    this.#options = options
    this.#log = new EventLog(options.graceMs === undefined ? 0 : options.maxReplayChars)
    this.#upstream = new Upstream(options.model, {
      translate: options.translate,
      onEvent: (data, isTerminal) => this.#append(data, isTerminal),
      onPause: () => this.#pause(),
      onError: options.onError,
    })
  }

  get ended(): boolean {
    return this.#upstream.ended
  }

  /** Settles when the upstream has ended. Never rejects. */
  run(call: (options: Pick<SimpleStreamOptions, "signal">) => ReturnType<StreamFn>): Promise<void> {
    return this.#upstream.run(call)
  }

  /** What to wait for before more is read from the vendor; undefined: nothing. */
  room(): Promise<void> | undefined {
    if (this.#upstream.signal.aborted || this.#log.unreadChars < this.#options.maxBufferedChars)
      return undefined
    this.#room ??= new Promise((resolve) => {
      this.#makeRoom = resolve
    })
    return this.#room
  }

  /**
   * @param after The number of the last event that the reader has.
   * @returns undefined when there is nothing to go on from: see {@link EventLog.seek}.
   */
  attach(after: number): EventReader | undefined {
    if (!this.#log.seek(after)) return undefined
    this.#reader?.replace()
    this.#reader = new LocalReader(this, this.#log)
    this.#readersChanged()
    return this.#reader
  }

  /** A reader in another process has come (1) or gone (-1). */
  attachRemote(change: 1 | -1): void {
    this.#remoteReaders = Math.max(0, this.#remoteReaders + change)
    this.#readersChanged()
  }

  /** The answer is not wanted: ends the upstream, and what there was is forgotten. */
  abort(reason: string): void {
    this.#upstream.abort(reason)
    this.#makeRoom?.()
    if (!this.#reader) this.#forget()
  }

  /** For {@link LocalReader}. */
  detach(reader: LocalReader): void {
    if (this.#reader !== reader) return
    this.#reader = undefined
    this.#readersChanged()
  }

  /** For {@link LocalReader}: something has been read. */
  hasRead(): void {
    if (this.#log.unreadChars >= this.#options.maxBufferedChars) return
    this.#makeRoom?.()
    this.#room = undefined
    this.#makeRoom = undefined
  }

  #append(data: string, isTerminal: boolean): void {
    this.#log.append(data)
    this.#options.onEvent?.(data, isTerminal)
    if (isTerminal) {
      this.#makeRoom?.()
      this.#readersChanged()
      this.#reader?.onNews()
    } else if (this.#log.unreadChars > MOST_UNREAD) {
      this.#options.onError(new Error("A client reads too slowly for a StreamFn that does not wait"))
      this.#upstream.fail({ code: "overloaded", retryable: true }, "The answer came faster than it was read")
    }
  }

  #pause(): Promise<void> | undefined {
    this.#reader?.onNews()
    // How far readers in other processes are is between them and the store.
    if (this.#remoteReaders > 0 && !this.#reader) this.#log.skip()
    return this.room()
  }

  /** Nobody is there: from now on the time runs. */
  #readersChanged(): void {
    clearTimeout(this.#grace)
    if (this.#reader || this.#remoteReaders > 0) return
    const { graceMs } = this.#options
    if (graceMs === undefined || this.#upstream.signal.aborted) {
      this.#upstream.abort("The client disconnected")
      this.#forget()
      return
    }
    this.#grace = setTimeout(() => {
      this.#upstream.abort("The client did not come back")
      this.#forget()
    }, graceMs)
    // A process that wants to end does not wait for clients that may not come.
    if (typeof this.#grace === "object") this.#grace.unref?.()
  }

  #forget(): void {
    clearTimeout(this.#grace)
    this.#makeRoom?.()
    this.#options.onForgotten()
  }
}

class LocalReader implements EventReader {
  readonly #stream: LiveStream
  readonly #log: EventLog
  isReplaced = false
  onNews = (): void => {}

  constructor(stream: LiveStream, log: EventLog) {
    this.#stream = stream
    this.#log = log
  }

  get isDone(): boolean {
    return this.#stream.ended && this.#log.unreadChars === 0
  }

  read(): string | undefined {
    if (this.isReplaced) return undefined
    const text = this.#log.read()
    this.#stream.hasRead()
    return text
  }

  leave(): void {
    this.#stream.detach(this)
  }

  /** Somebody else reads from here on. */
  replace(): void {
    this.isReplaced = true
    this.onNews()
  }
}
