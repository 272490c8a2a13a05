/**
 * Keeps secrets out of messages for people.
 *
 * Vendors quote the key they were given, and fetch quotes header values it cannot send.
 */

const REDACTED = "[redacted]"

/** Shorter ones are placeholders of local servers, and replacing them would garble every message. */
const SHORTEST_SECRET = 4

/** @returns the text with every occurrence of every secret replaced, as it is and as URLs and JSON write it. */
export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  let redacted = text
  for (const form of formsOf(secrets)) redacted = redacted.replaceAll(form, REDACTED)
  return redacted
}

/** What in an address must not be shown: a password, and the values of its query. */
export function secretsOfUrl(url: string | undefined): string[] {
  if (url === undefined || !URL.canParse(url)) return []
  const { username, password, searchParams } = new URL(url)
  const isShort = (value: string): boolean => value.length < SHORTEST_IN_QUERY
  return [username, password, ...[...searchParams.values()].filter((value) => !isShort(value))].map(decode)
}

/** A version or a region is no secret. */
const SHORTEST_IN_QUERY = 16

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Longest first, so that no rest of a longer secret stays behind. */
function formsOf(secrets: readonly (string | undefined)[]): string[] {
  const forms = new Set<string>()
  for (const secret of secrets) {
    for (const each of [secret, secret?.trim()]) {
      if (each === undefined || each.length < SHORTEST_SECRET) continue
      forms.add(each)
      forms.add(encodeForUrl(each))
      forms.add(JSON.stringify(each).slice(1, -1))
    }
  }
  return [...forms].sort((one, other) => other.length - one.length)
}

function encodeForUrl(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text // an unpaired surrogate
  }
}
