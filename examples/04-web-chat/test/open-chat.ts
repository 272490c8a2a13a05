/** Opens the chat in a browser, on a server whose model the test writes, and listens to all that the browser gets. */
import { type FauxStreamFn, faux, fauxModel, type Script } from "@heddle/faux"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { type Asset, buildAssets } from "../src/assets.ts"
import type { Offer } from "../src/models.ts"
import { serve } from "../src/server.ts"

export interface Chat {
  readonly page: Page
  /** What the browser complained about: errors, warnings, violations of the page's policy. */
  readonly complaints: readonly string[]
  /** Sends a message the way most people do. */
  send(text: string): Promise<void>
  /** Waits for the end of the run. */
  settle(): Promise<void>
  /** Waits until some message has this text in it. */
  see(text: string): Promise<void>
  /** The conversation as it can be read: a text for each message. */
  read(): Promise<string[]>
  /** Headers and bodies of all responses so far. */
  received(): Promise<string>
  close(): Promise<void>
}

let assets: Promise<ReadonlyMap<string, Asset>> | undefined

export async function openChat(
  browser: Browser,
  offer: Offer,
  options?: BrowserContextOptions,
): Promise<Chat> {
  assets ??= buildAssets()
  const server = await serve({ ...offer, assets: await assets, port: 0 })
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const responses: Promise<string>[] = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("response", (response) => {
    // A stream that was stopped has no body to ask for any more; what it said is in the page.
    const body = response.body().then(String, () => "")
    responses.push(Promise.all([response.allHeaders(), body]).then((parts) => JSON.stringify(parts)))
  })
  await page.goto(server.url)
  await page.getByRole("option").first().waitFor({ state: "attached" })

  return {
    page,
    complaints,
    send: async (text) => {
      await page.getByRole("textbox", { name: "Message" }).fill(text)
      await page.keyboard.press("Enter")
    },
    settle: () => page.getByRole("button", { name: "Send" }).waitFor(),
    see: (text) => page.getByRole("article").getByText(text).last().waitFor(),
    read: async () => {
      const texts = await page.getByRole("article").allInnerTexts()
      return texts.map((text) => text.replace(/\n+/g, "\n"))
    },
    received: async () => (await Promise.all(responses)).join("\n"),
    close: async () => {
      await context.close()
      await server.close()
    },
  }
}

/** Sooner than a server gives up on a reader who went without a word. */
export const SOON = { timeout: 8000 }

/** One model, and what it says. */
export function scripted(script: Script): Offer & { readonly streamFn: FauxStreamFn } {
  return { models: [fauxModel({ id: "script", name: "Script" })], streamFn: faux(script) }
}
