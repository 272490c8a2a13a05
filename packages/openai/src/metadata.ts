import type { SimpleStreamOptions } from "@heddle/types"

/** @see https://platform.openai.com/docs/api-reference/chat/create (metadata) */
const LONGEST_KEY = 64
const LONGEST_VALUE = 512
const MOST_ENTRIES = 16

/**
 * OpenAI takes texts only. What it would refuse is left out: it says something about the request, not in it.
 *
 * @returns undefined where nothing is left to say.
 */
export function toMetadata(
  values: SimpleStreamOptions["metadata"],
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(values ?? {})
    .flatMap(([key, value]) => (isScalar(value) ? [[key, String(value)] as const] : []))
    .filter(([key, value]) => key.length <= LONGEST_KEY && value.length <= LONGEST_VALUE)
    .slice(0, MOST_ENTRIES)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean", "bigint"].includes(typeof value)
}
