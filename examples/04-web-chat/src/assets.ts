/** What the page is made of, in memory: two files as they are, script and style bundled. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

export interface Asset {
  readonly type: string
  readonly body: string
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** @returns the assets by their path on the server: nothing else is ever served. */
export async function buildAssets(): Promise<ReadonlyMap<string, Asset>> {
  const { outputFiles } = await build({
    entryPoints: { app: here("./browser/main.ts"), style: here("./browser/styles/style.css") },
    outdir: here("."),
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2023",
    legalComments: "none",
  })
  const bundled = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ""
  return new Map<string, Asset>([
    ["/", { type: "text/html", body: await readFile(here("../public/index.html"), "utf8") }],
    ["/icon.svg", { type: "image/svg+xml", body: await readFile(here("../public/icon.svg"), "utf8") }],
    ["/app.js", { type: "text/javascript", body: bundled("app.js") }],
    ["/style.css", { type: "text/css", body: bundled("style.css") }],
  ])
}
