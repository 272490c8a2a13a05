/** Names and sets up the tests that need a browser. Where there is none they are skipped, and say so. */
import type { Browser, BrowserContextOptions } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest"
import type { Offer } from "../src/models.ts"
import { CHROMIUM, IS_REQUIRED, launch } from "./chromium.ts"
import { type Chat, openChat } from "./open-chat.ts"

const SKIPPED = CHROMIUM ? "" : " (skipped: no Chromium; install it, or name it in CHROMIUM_PATH)"

if (SKIPPED && !IS_REQUIRED) console.log(`Tests of the page were skipped: no Chromium`)

export type Open = (offer: Offer, options?: BrowserContextOptions) => Promise<Chat>

/** Each test gets a profile and a server of its own, and fails when the browser complains about anything. */
export function describePage(name: string, tests: (open: Open) => void): void {
  // A browser on a busy machine takes its time; what hangs is found all the same.
  describe.runIf(CHROMIUM || IS_REQUIRED)(`${name}${SKIPPED}`, { timeout: 120_000 }, () => {
    let browser: Browser | undefined
    let chat: Chat | undefined

    beforeAll(async () => {
      browser = await launch()
    })
    afterEach(async () => {
      const complaints = chat?.complaints
      await chat?.close()
      chat = undefined
      expect(complaints).toEqual([])
    })
    afterAll(() => browser?.close())

    tests(async (offer, options) => {
      if (!browser) throw new Error("The browser did not start")
      chat = await openChat(browser, offer, options)
      return chat
    })
  })
}
