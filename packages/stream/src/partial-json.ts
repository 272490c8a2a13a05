/**
 * Reads JSON while it arrives, and shows at any time what can be read so far.
 *
 * The arguments of a tool call come in thousands of pieces, and a UI wants to see the file that is being
 * written before the last of them. Parsing the whole text again for every piece is quadratic; here each
 * character is looked at once, wherever the pieces are cut: inside an escape, a number, a surrogate pair.
 *
 * What was shown never changes, and is a prefix of what comes later: strings as far as they go, numbers and
 * keywords when they are whole, a key with its value. (The one exception is JSON's own: a duplicate key
 * replaces what stood there.) The end is exact against `JSON.parse`, down to 1024 levels: the same texts are
 * accepted, with the same values. Nothing recurses on the input.
 *
 * This file does not decide what broken arguments mean to a call; see `assistant-message-builder.ts`.
 */

/**
 * So many containers may be open inside each other. Deeper text is refused, although `JSON.parse` would take
 * it: code that walks the value recursively (cloning, validating, serialising) may overflow its stack. 1024
 * is safe where stacks are small, and far beyond what a tool asks for.
 */
const MAX_DEPTH = 1024

/** While the open containers hold no more entries than this together, every read takes a new snapshot. */
const SMALL = 256

// The states of the reader, each named by what it expects: error texts are made of them.
const VALUE = "a value"
const FIRST_ITEM = 'a value or "]"'
const KEY = "a key in double quotes"
const FIRST_KEY = 'a key in double quotes or "}"'
const COLON = '":"'
const AFTER_ITEM = '"," or "]"'
const AFTER_ENTRY = '"," or "}"'
const STRING = "the rest of a string"
const ESCAPE = "the rest of an escape sequence"
const UNICODE = "four hexadecimal digits"
const NUMBER = "the rest of a number"
const KEYWORD = "the rest of true, false or null"
const END = "nothing more"

const ESCAPES = '"\\/bfnrt'
const ESCAPED = '"\\/\b\f\n\r\t'

/** The longest beginning of a text that begins some number. It is a whole one when it ends in a digit. */
const NUMBER_BEGINNING = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d*)?|[eE][+-]?\d*|\.)?)?/

/** How a text ended. */
export type PartialJsonResult =
  | { readonly value: unknown }
  | {
      /** How it failed, and at which character (from 0), for people. It quotes one character at most. */
      readonly error: string
      /** Whether more text could have completed it. */
      readonly cut: boolean
    }

/** A container that is still open. Nobody sees `live` before it is closed, and nothing writes to it after. */
interface Frame {
  readonly live: unknown[] | Record<string, unknown>
  /** Where in it the value that is being read belongs. */
  key: number | string
  /** `#size` without its entries. */
  readonly outer: number
}

/**
 * An incremental JSON reader. `append` costs the length of its piece, also when {@link PartialJson.value} is
 * read after each.
 */
export class PartialJson {
  #expected: string = VALUE
  readonly #open: Frame[] = []
  /** The whole value, once it is complete. */
  #root: unknown
  #error: string | undefined
  /** Characters before the piece that is being read. */
  #offset = 0

  /** The string, number or keyword at the end of the text, as far as it came. */
  #text = ""
  /** It is a string, and a value. */
  #isShown = false
  /** A high surrogate at the end of a string: held back until it is known whether its other half follows. */
  #half = ""
  /** The digits of a `\u` escape so far. */
  #digits = ""

  #snapshot: unknown
  #isStale = false
  /** Entries of the open containers together: what a snapshot costs. */
  #size = 0
  #sizeAtSnapshot = 0
  #offsetAtSnapshot = 0

  /** Reads the next piece, cut anywhere. What comes after an error is ignored. */
  append(delta: string): void {
    let at = 0
    while (at < delta.length && !this.#error) {
      if (this.#expected === STRING) at = this.#readString(delta, at)
      else this.#readCharacter(delta[at]!, at++)
    }
    this.#offset += delta.length
  }

  /** Whether a whole value was read. Of a number without a container around it, only {@link finish} can tell. */
  get complete(): boolean {
    return this.#expected === END && !this.#error
  }

  /**
   * What can be read so far, `undefined` while that is nothing. After an error: what was read before it.
   *
   * An immutable snapshot that shares whatever did not change with those before and after it. It is not
   * frozen: do not write to it.
   *
   * While the open containers hold more than 256 entries together, it may be an earlier snapshot, until they
   * have grown by a sixteenth or as many characters came as they have entries. {@link finish} ends that.
   */
  get value(): unknown {
    if (!this.#isStale || !this.#isDue()) return this.#snapshot
    let value: unknown = this.#isShown ? this.#text : this.#root
    for (let depth = this.#open.length; depth-- > 0; ) {
      const frame = this.#open[depth]!
      if (value !== undefined) this.#place(frame, value)
      value = Array.isArray(frame.live) ? frame.live.slice() : { ...frame.live }
    }
    this.#isStale = false
    this.#sizeAtSnapshot = this.#size
    this.#offsetAtSnapshot = this.#offset
    this.#snapshot = value
    return value
  }

  /** What the text is, should nothing follow. Never throws, and more text may be appended. */
  finish(): PartialJsonResult {
    this.#sizeAtSnapshot = 0
    const isNumber = this.#expected === NUMBER && this.#checkNumber(0)
    if (this.#error) return { error: this.#error, cut: false }
    if (this.#expected === END) return { value: this.#root }
    if (this.#open.length === 0) {
      if (isNumber) return { value: Number(this.#text) }
      if (this.#expected === VALUE) return { error: "The JSON is empty", cut: true }
    }
    return {
      error: `The JSON was cut off at character ${this.#offset}: expected ${this.#expected}`,
      cut: true,
    }
  }

  /** Whether a new snapshot is worth its cost, so that the reads together stay linear. */
  #isDue(): boolean {
    return (
      this.#size <= SMALL ||
      Math.abs(this.#size - this.#sizeAtSnapshot) * 16 >= this.#sizeAtSnapshot ||
      this.#offset - this.#offsetAtSnapshot >= this.#size
    )
  }

  /** Up to the end of the string or the piece, or to an escape. Runs are taken whole. */
  #readString(delta: string, from: number): number {
    let at = from
    let code = 0
    for (; at < delta.length; at++) {
      code = delta.charCodeAt(at)
      if (code === 34 || code === 92 || code < 32) break
    }
    if (at > from) this.#grow(delta.slice(from, at))
    if (at === delta.length) return at
    if (code === 92) this.#expected = ESCAPE
    else if (code === 34) this.#endString()
    else this.#fail(at, delta[at]!, "control characters to be escaped")
    return at + 1
  }

  #grow(piece: string): void {
    this.#expected = STRING
    this.#isStale ||= this.#isShown
    const whole = this.#half + piece
    const isHalf = (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800
    this.#half = isHalf ? piece.slice(-1) : ""
    this.#text += isHalf ? whole.slice(0, -1) : whole
  }

  #endString(): void {
    const text = this.#text + this.#half
    this.#half = ""
    if (this.#isShown) {
      this.#isShown = false
      this.#put(text)
    } else {
      this.#open.at(-1)!.key = text
      this.#expected = COLON
    }
  }

  /** Everything but the runs inside strings comes in single characters. */
  #readCharacter(char: string, at: number): void {
    switch (this.#expected) {
      case ESCAPE: {
        const index = ESCAPES.indexOf(char)
        if (index >= 0) this.#grow(ESCAPED[index]!)
        else if (char === "u") this.#expected = UNICODE
        else this.#fail(at, char)
        return
      }
      case UNICODE:
        this.#digits += char
        if (!/[\da-f]/i.test(char)) this.#fail(at, char)
        else if (this.#digits.length === 4) {
          this.#grow(String.fromCharCode(Number(`0x${this.#digits}`)))
          this.#digits = ""
        }
        return
      case KEYWORD: {
        const keyword = keywordLike(this.#text)!
        this.#text += char
        if (!keyword.startsWith(this.#text)) this.#fail(at, char)
        else if (this.#text === keyword) this.#put(JSON.parse(keyword))
        return
      }
      case NUMBER:
        if (isNumeric(char)) {
          this.#text += char
          return
        }
        if (!this.#checkNumber(at)) {
          this.#fail(at, char)
          return
        }
        this.#put(Number(this.#text))
    }
    if (!" \n\r\t".includes(char)) this.#readStructure(char, at)
  }

  /** Whether the text is a number when it ends here. An error where it could not even begin one. */
  #checkNumber(end: number): boolean {
    const text = this.#text
    const { length } = NUMBER_BEGINNING.exec(text)![0]
    if (length < text.length) this.#fail(end - text.length + length, text[length]!, "a number")
    return !this.#error && /\d$/.test(text)
  }

  #readStructure(char: string, at: number): void {
    const expected = this.#expected
    const frame = this.#open.at(-1)
    if (
      (char === "]" && (expected === AFTER_ITEM || expected === FIRST_ITEM)) ||
      (char === "}" && (expected === AFTER_ENTRY || expected === FIRST_KEY))
    ) {
      this.#open.pop()
      this.#size = frame!.outer
      this.#put(frame!.live)
    } else if (char === "," && expected === AFTER_ITEM) {
      frame!.key = frame!.live.length as number
      this.#expected = VALUE
    } else if (char === "," && expected === AFTER_ENTRY) {
      this.#expected = KEY
    } else if (char === ":" && expected === COLON) {
      this.#expected = VALUE
    } else if (char === '"' && (expected === KEY || expected === FIRST_KEY)) {
      this.#text = ""
      this.#expected = STRING
    } else if (expected === VALUE || expected === FIRST_ITEM) {
      this.#begin(char, at)
    } else {
      this.#fail(at, char)
    }
  }

  /** The first character of a value. */
  #begin(char: string, at: number): void {
    this.#size++
    this.#text = char
    if (char === "{") this.#enter({}, "", FIRST_KEY, at)
    else if (char === "[") this.#enter([], 0, FIRST_ITEM, at)
    else if (char === '"') {
      this.#text = ""
      this.#isShown = this.#isStale = true
      this.#expected = STRING
    } else if (keywordLike(char)) this.#expected = KEYWORD
    else if (char === "-" || (char >= "0" && char <= "9")) this.#expected = NUMBER
    else this.#fail(at, char)
  }

  #enter(live: Frame["live"], key: Frame["key"], expected: string, at: number): void {
    if (this.#open.length === MAX_DEPTH) {
      this.#error = `The JSON is nested deeper than ${MAX_DEPTH} levels at character ${this.#offset + at}`
    } else {
      this.#open.push({ live, key, outer: this.#size })
      this.#isStale = true
      this.#expected = expected
    }
  }

  /** A value is whole. */
  #put(value: unknown): void {
    const frame = this.#open.at(-1)
    if (frame) this.#place(frame, value)
    else this.#root = value
    this.#expected = !frame ? END : typeof frame.key === "number" ? AFTER_ITEM : AFTER_ENTRY
    this.#isStale = true
  }

  /**
   * Defining makes an own property also of `__proto__`, and where `Object.prototype` is frozen. Assigning is
   * faster, but V8 makes an object of some size that way slow to copy.
   */
  #place(frame: Frame, value: unknown): void {
    const { live, key, outer } = frame
    if (typeof key === "string" && (key in Object.prototype || this.#size - outer > 12)) {
      Object.defineProperty(live, key, { value, writable: true, enumerable: true, configurable: true })
    } else {
      ;(live as Record<number | string, unknown>)[key] = value
    }
  }

  /** The first error stays. */
  #fail(at: number, found: string, expected: string = this.#expected): void {
    this.#error ??= `The JSON is malformed at character ${this.#offset + at}: expected ${expected}, found ${JSON.stringify(found)}`
  }
}

/**
 * What can be read of a JSON text that may be incomplete: {@link PartialJson.value} for one-off use.
 *
 * @returns `undefined` while nothing can be read (no text, half a keyword, a number that may go on). For tool
 * arguments, which are objects, `parseStreamingJson(text) ?? {}` is what a UI wants.
 */
export function parseStreamingJson(text: string): unknown {
  const json = new PartialJson()
  json.append(text)
  return json.value
}

/** The keyword with the same first letter. */
function keywordLike(text: string): string | undefined {
  return ["true", "false", "null"]["tfn".indexOf(text[0]!)]
}

/** Whether it may be part of a number. */
function isNumeric(char: string): boolean {
  return "0123456789.eE+-".includes(char)
}
