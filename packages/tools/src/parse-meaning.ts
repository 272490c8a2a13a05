/**
 * Reads what a model put in quotes: a number, a boolean, an object, an array.
 *
 * Only what has one meaning is read, and only where nothing of it is lost: a number that a double would round
 * stays text.
 */
import { copyData } from "./plain-data.ts"

/** A number as JSON writes it: no hexadecimal, no sign or zero in front, no space around. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i
/** Significant digits that a double always keeps. */
const EXACT_DIGITS = 15

/** @returns undefined for text that is just text. */
export function parseMeaning(text: string): unknown {
  if (text === "true" || text === "false") return text === "true"
  return NUMBER.test(text) ? parseNumber(text) : /^\s*[[{]/.test(text) ? parseStructure(text) : undefined
}

function parseNumber(text: string): number | undefined {
  const number = Number(text)
  const digits = text.replace(/e.*|\D/gi, "").replace(/^0+|0+$/g, "")
  const exact = digits.length <= EXACT_DIGITS || String(number) === text
  return exact && isSafe(number) && (number !== 0 || digits === "") ? number : undefined
}

function parseStructure(text: string): unknown {
  try {
    return copyData(
      JSON.parse(text, (_key, value: unknown) => {
        if (typeof value === "number" && !isSafe(value)) throw new RangeError("It may have been rounded")
        return value
      }),
    )
  } catch {
    return undefined
  }
}

function isSafe(number: number): boolean {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER
}
