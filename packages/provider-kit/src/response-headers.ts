/** Reads response headers in whatever form an SDK holds them. */

/** A `Headers` object or a plain record. */
export type HeadersLike =
  | { get(name: string): string | null; forEach(visit: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | readonly string[] | number | undefined | null>>

/** @param name In lower case. */
export function header(headers: HeadersLike | undefined, name: string): string | undefined {
  return headers === undefined ? undefined : headerRecord(headers)[name]
}

/** @returns a fresh record with names in lower case. */
export function headerRecord(headers: HeadersLike): Record<string, string> {
  const record: Record<string, string> = {}
  if (isHeaders(headers))
    headers.forEach((value, name) => {
      record[name.toLowerCase()] = value
    })
  else {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined && value !== null) record[name.toLowerCase()] = String(value)
    }
  }
  return record
}

function isHeaders(headers: HeadersLike): headers is Extract<HeadersLike, { forEach: unknown }> {
  return typeof headers.forEach === "function" && typeof headers.get === "function"
}
