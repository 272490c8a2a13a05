import type { Options } from "tsup"

/** JavaScript only: the declarations come from `tsc`, because tsup cannot make them with TypeScript 7. */
export const base: Options = {
  entry: ["src/index.ts"],
  format: ["esm"],
  target: "es2023",
  platform: "neutral",
  dts: false,
  sourcemap: true,
  clean: true,
  removeNodeProtocol: false,
  // Only an entry `./node` imports these; that no other does is up to scripts/boundaries.ts.
  esbuildOptions(options) {
    options.external = [...(options.external ?? []), "node:*"]
  },
}
