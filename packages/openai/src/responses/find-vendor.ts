/** Finds what is known about who serves a model. */
import type { Model } from "@heddle/types"

/**
 * The host says for certain who answers; a provider id may also name what sits behind a proxy.
 *
 * @param rows By provider id.
 */
export function findVendor<TRow extends { readonly hosts: readonly string[] }>(
  rows: Readonly<Record<string, TRow>>,
  model: Model,
): TRow | undefined {
  const host = hostOf(model.baseUrl)
  const byHost = host && Object.values(rows).find((row) => row.hosts.some((known) => isHost(host, known)))
  if (byHost) return byHost
  return Object.hasOwn(rows, model.provider) ? rows[model.provider] : undefined
}

function hostOf(baseUrl: string): string | undefined {
  try {
    return new URL(baseUrl).host
  } catch {
    return undefined // empty, or not a URL: the request will say so
  }
}

function isHost(host: string, known: string): boolean {
  return host === known || host.endsWith(`.${known}`)
}
