/**
 * Gives every tool call of one request an id that its vendor accepts and no other call has.
 *
 * Ids travel between vendors with the transcript, and each vendor takes different ones: OpenAI at most 40
 * characters, Anthropic and Bedrock letters, digits, `_` and `-`, Mistral exactly nine letters and digits.
 * Some hosts even count from `call_0` again in every turn. Cutting an id short is not enough, because ids that
 * share a prefix are common; so what has to change ends in a hash of the whole id, and what collides
 * nevertheless is hashed again.
 *
 * The same ids in the same order give the same result, and a longer transcript keeps the ids of a shorter
 * one: vendors cache prompts by their exact text.
 */
import { toWellFormedText } from "./well-formed-text.ts"

/** What a vendor accepts as the id of a tool call. */
export interface ToolCallIdRules {
  /** `word`: letters, digits, `_` and `-`; `alphanumeric`: letters and digits. Default `"any"`. */
  readonly characters?: "any" | "word" | "alphanumeric" | undefined
  /** Default: no limit. At least 8, so that there is room for what tells ids apart. */
  readonly maxLength?: number | undefined
  /** Ids must be exactly {@link maxLength} long. */
  readonly exactLength?: boolean | undefined
}

const DISALLOWED = {
  any: /[\uD800-\uDFFF]/gu,
  word: /[^A-Za-z0-9_-]/g,
  alphanumeric: /[^A-Za-z0-9]/g,
} as const

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/**
 * @returns a function to be called once per tool call, in transcript order. It returns the id unchanged where
 * the vendor accepts it and no earlier call has it.
 */
export function createToolCallIdRewriter(rules: ToolCallIdRules = {}): (id: string) => string {
  const given = new Set<string>()
  return (id) => {
    let rewritten = id
    for (let round = 0; given.has(rewritten) || (round === 0 && !isAccepted(id, rules)); round++) {
      rewritten = rewrite(id, round, rules)
    }
    given.add(rewritten)
    return rewritten
  }
}

function isAccepted(id: string, rules: ToolCallIdRules): boolean {
  const { characters = "any", maxLength = Infinity, exactLength = false } = rules
  const fits = exactLength ? id.length === maxLength : id.length <= maxLength
  return id !== "" && fits && id.search(DISALLOWED[characters]) === -1
}

/** As much of the id as fits, for people who read logs, then what makes it unique. */
function rewrite(id: string, round: number, rules: ToolCallIdRules): string {
  const { characters = "any", maxLength = Infinity, exactLength = false } = rules
  const hash = hashText(`${round}:${id}`)
  if (exactLength) return hash.repeat(Math.ceil(maxLength / hash.length)).slice(0, maxLength)
  const separator = characters === "alphanumeric" ? "" : "_"
  const readable = id.replace(DISALLOWED[characters], "")
  const room = Math.max(0, maxLength - hash.length - separator.length)
  const prefix = toWellFormedText(readable.slice(0, Math.min(room, 40)))
  return prefix === "" ? hash.slice(0, maxLength) : prefix + separator + hash
}

/** 64 bits in eleven letters and digits: two 32-bit FNV-1a hashes with different offsets, mixed at the end. */
function hashText(text: string): string {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x5bd1e995) ^ (high >>> 13)
  }
  let bits = (BigInt(mix(low)) << 32n) | BigInt(mix(high))
  let digits = ""
  for (let index = 0; index < 11; index++) {
    digits += DIGITS[Number(bits % 62n)]
    bits /= 62n
  }
  return digits
}

/** Spreads every bit of a 32-bit number over all of them (the finaliser of MurmurHash3, public domain). */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
