import { type Sleep, sleep } from "./sleep.ts"

/** Characters that count as one token, in pacing and in the estimate of usage. */
export const CHARACTERS_PER_TOKEN = 4

/** How fast, and in what pieces, a script is played. */
export interface PaceOptions {
  /**
   * Characters (UTF-16 code units) per delta, from 1; `Infinity` streams each block in one delta. A surrogate
   * pair is never split. Default 4: about one token.
   */
  readonly chunkSize?: number | undefined
  /** How fast the model writes, at four characters a token. Default: as fast as it is read, without timers. */
  readonly tokensPerSecond?: number | undefined
  /** How to wait. Default: the global `setTimeout`, looked up on use, so that fake timers work. */
  readonly sleep?: Sleep | undefined
}

/** @throws RangeError when a number makes no sense. */
export function checkPace({ chunkSize = 1, tokensPerSecond = 1 }: PaceOptions): void {
  if (!(chunkSize >= 1) || (chunkSize !== Infinity && !Number.isInteger(chunkSize))) {
    throw new RangeError(`chunkSize is a whole number of characters, at least 1, not ${chunkSize}`)
  }
  if (!(tokensPerSecond > 0)) throw new RangeError(`tokensPerSecond is above 0, not ${tokensPerSecond}`)
}

/**
 * Hands out a text piece by piece, each when it is due.
 *
 * Without `tokensPerSecond` a piece is due at once, but never in the same breath as the one before: readers
 * run in between, and can abort there.
 */
export class Pace {
  readonly #chunkSize: number
  readonly #millisecondsPerCharacter: number
  readonly #sleep: Sleep
  /** Milliseconds not yet slept, because timers count whole ones only. */
  #owed = 0

  constructor({ chunkSize, tokensPerSecond, sleep: injected }: PaceOptions) {
    this.#chunkSize = chunkSize ?? CHARACTERS_PER_TOKEN
    this.#millisecondsPerCharacter = 1000 / ((tokensPerSecond ?? Infinity) * CHARACTERS_PER_TOKEN)
    this.#sleep = injected ?? sleep
  }

  /** Stops early when the signal fires. */
  async *pieces(text: string, gone: AbortSignal): AsyncGenerator<string> {
    for (const piece of chunks(text, this.#chunkSize)) {
      this.#owed += piece.length * this.#millisecondsPerCharacter
      const due = Math.floor(this.#owed)
      this.#owed -= due
      if (due > 0) await this.#sleep(due, gone)
      if (gone.aborted) return
      yield piece
    }
  }

  wait(milliseconds: number, gone: AbortSignal): Promise<void> {
    return this.#sleep(milliseconds, gone)
  }
}

function* chunks(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + size, text.length)
    if (isSurrogatePair(text, end - 1)) end++
    yield text.slice(start, end)
    start = end
  }
}

function isSurrogatePair(text: string, index: number): boolean {
  return (
    isBetween(text.charCodeAt(index), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index + 1), 0xdc00, 0xdfff)
  )
}

function isBetween(value: number, low: number, high: number): boolean {
  return value >= low && value <= high
}
