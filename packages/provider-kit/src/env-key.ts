/**
 * Reads API keys from the environment, where there is one.
 *
 * Browsers and workers have no `process`; Deno may refuse to show it. Both mean: no key here.
 */

/** @returns the first of the variables that is set and not blank, without surrounding white space. */
export function envKey(names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = readVariable(name)?.trim()
    if (value) return value
  }
  return undefined
}

function readVariable(name: string): string | undefined {
  const host = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  try {
    return host.process?.env?.[name]
  } catch {
    return undefined // a permission, not a failure
  }
}
