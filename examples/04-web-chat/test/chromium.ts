/** The browser of the tests: Debian's Chromium or its like, or the one that `CHROMIUM_PATH` names. */
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]

/** Where it is; undefined where there is none. */
export const CHROMIUM: string | undefined =
  process.env.CHROMIUM_PATH ?? PLACES.find((path) => existsSync(path))

/** Where the tests may not be skipped. */
export const IS_REQUIRED: boolean = Boolean(process.env.HEDDLE_REQUIRE_BROWSER)

/** Starts it with a new, empty profile, and with nothing but this machine to talk to. */
export async function launch(): Promise<Browser> {
  if (!CHROMIUM) throw new Error("There is no Chromium: install it, or name it in CHROMIUM_PATH")
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  })
}
