/**
 * Makes the labels of a Vertex request, by which its bill can be split, of the caller's metadata.
 *
 * Vertex refuses the whole request for one label that it does not like, so what cannot be a label is left out.
 *
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/add-labels-to-api-calls
 */
import type { StreamOptions } from "@heddle/types"

/** Lower-case letters, digits, `_` and `-`; 63 characters at most. A key begins with a letter. */
const KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
const VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u

export function toLabels(metadata: StreamOptions["metadata"] = {}): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {}
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue
    if (KEY.test(key) && VALUE.test(String(value))) labels[key] = String(value)
  }
  return labels
}
