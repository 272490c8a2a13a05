/**
 * Lays what is known about a server in layers, field by field: later ones win, and a field that is undefined
 * is absent.
 *
 * @param defaults Has every field.
 * @param layers For example the vendor's row, the adapter's configuration, `model.compat`.
 * @returns a fresh record of every field.
 */
export function mergeCompat<TCompat extends object>(
  defaults: TCompat,
  ...layers: readonly (Layer<TCompat> | undefined)[]
): TCompat {
  const merged = { ...defaults } as Record<string, unknown>
  for (const layer of layers) {
    for (const [field, value] of Object.entries(layer ?? {})) if (value !== undefined) merged[field] = value
  }
  return merged as TCompat
}

type Layer<TCompat> = { readonly [Field in keyof TCompat]?: TCompat[Field] | undefined }
