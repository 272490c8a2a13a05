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
}
