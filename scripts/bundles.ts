/**
 * Bundles packed packages for the browser: whether they get along without Node.js, and how much of it is ours.
 */

import { createContext, Script } from "node:vm"
import { gzipSync } from "node:zlib"
import { type BuildFailure, build, type Plugin } from "esbuild"

export interface BundleSize {
  /** Files of ours that end up in the bundle. */
  readonly modules: readonly string[]
  /** Minified and gzipped. Unit: bytes. */
  readonly bytes: number
}

/** What every browser, worker and server offers. A context has these and the language, and nothing of Node.js. */
const WEB_GLOBALS = [
  ..."AbortController AbortSignal Blob BroadcastChannel CompressionStream DecompressionStream DOMException".split(
    " ",
  ),
  ..."Event EventTarget File FormData Headers MessageChannel MessagePort ReadableStream Request Response".split(
    " ",
  ),
  ..."TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLSearchParams".split(
    " ",
  ),
  ..."WebAssembly WebSocket WritableStream atob btoa clearInterval clearTimeout console crypto fetch".split(
    " ",
  ),
  ..."navigator performance queueMicrotask setInterval setTimeout structuredClone".split(" "),
] as const

/**
 * Bundles an entry whole, the vendor's SDK with it, and evaluates the bundle where Node.js is not.
 *
 * @returns what a browser would trip over; `undefined` when it would not.
 */
export async function findBrowserProblem(
  folder: string,
  specifier: string,
  peers: readonly string[],
): Promise<string | undefined> {
  const shared = {
    stdin: { contents: `export * from "${specifier}"`, resolveDir: folder },
    bundle: true,
    platform: "browser",
    write: false,
    logLevel: "silent",
  } as const
  try {
    if (peers.length > 0) {
      // A peer is there at run time only; what a bundler can tell without it is told.
      await build({ ...shared, format: "esm", external: [...peers] })
      return
    }
    const { outputFiles } = await build({ ...shared, format: "iife" })
    const code = outputFiles[0]?.text ?? ""
    new Script(code, { filename: specifier }).runInContext(createContext(webGlobals()), { timeout: 20_000 })
    return
  } catch (error) {
    const { errors, message } = error as BuildFailure
    return errors?.map(({ text, location }) => `${location?.file}: ${text}`).join("; ") ?? message
  }
}

/**
 * Measures what a module that says this adds to an application: code of ours, everything else left outside.
 *
 * @param isOwn - whether a package belongs to the measured code; the others stay imports.
 */
export async function measureOwnCode(
  folder: string,
  code: string,
  isOwn: (specifier: string) => boolean,
): Promise<BundleSize> {
  const leaveOthersOutside: Plugin = {
    name: "leave-others-outside",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^.]/ }, ({ path }) => (isOwn(path) ? undefined : { path, external: true })),
  }
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    format: "esm",
    platform: "browser",
    minify: true,
    metafile: true,
    write: false,
    logLevel: "silent",
    plugins: [leaveOthersOutside],
  })
  const [output] = Object.values(metafile.outputs)
  return {
    modules: Object.entries(output?.inputs ?? {})
      .filter(([path, { bytesInOutput }]) => path !== "<stdin>" && bytesInOutput > 0)
      .map(([path]) => path.replace(/^.*node_modules\//, ""))
      .sort(),
    bytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength,
  }
}

function webGlobals(): Record<string, unknown> {
  const globals: Record<string, unknown> = Object.fromEntries(
    WEB_GLOBALS.map((name) => [name, Reflect.get(globalThis, name)]),
  )
  globals.self = globals
  globals.window = globals
  return globals
}
