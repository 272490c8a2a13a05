import type { Model } from "@heddle/types"

/**
 * Finds what is known about who serves a model, in a table with a row per vendor.
 *
 * The host of `model.baseUrl` says for certain who answers, so it is asked first; a provider id may also name
 * what sits behind a proxy.
 *
 * @param rows By provider id. The `hosts` of a row are the vendor's, with their subdomains; a port is part of
 * a host.
 * @returns undefined for a vendor that nobody knows.
 */
export function findVendor<TRow extends { readonly hosts: readonly string[] }>(
  rows: Readonly<Record<string, TRow>>,
  model: Pick<Model, "baseUrl" | "provider">,
): TRow | undefined {
  const host = hostOf(model.baseUrl)
  const byHost = host && Object.values(rows).find((row) => row.hosts.some((known) => isHost(host, known)))
  if (byHost) return byHost
  return Object.hasOwn(rows, model.provider) ? rows[model.provider] : undefined
}

/** @returns host and port; an empty text where the address is empty, or no URL: the request will say so. */
export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : ""
}

function isHost(host: string, known: string): boolean {
  return host === known || host.endsWith(`.${known}`)
}
