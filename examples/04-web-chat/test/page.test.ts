/** What holds for the page whatever the model says, in a real browser. */
import { hang, say } from "@heddle/faux"
import { getModel } from "@heddle/models"
import { openaiResponses } from "@heddle/openai"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { describePage } from "./describe-page.ts"
import { SOON, scripted } from "./open-chat.ts"

describePage("the page in the browser", (open) => {
  test("has the conversation after a reload, also one that was cut short, and goes on", async () => {
    const offer = scripted([say("Whole."), [say("Half of it"), hang()], say("Third.")])
    const { page, see, send, settle, read } = await open(offer)
    await send("One")
    await see("Whole.")
    await settle()
    await send("Two")
    await see("Half of it")

    await page.reload()
    await see("Half of it")

    expect(await read()).toEqual(["One", "Whole.", "Two", "Half of it\nStopped."])
    await expect.poll(() => offer.streamFn.requests[1]?.options.signal?.aborted, SOON).toBe(true)
    await send("Three")
    await see("Third.")
    expect(offer.streamFn.requests[2]?.context.messages).toHaveLength(5)
  })

  test("begins anew where what is kept makes no sense, and says where nothing can be kept", async () => {
    const { page, send, see, settle, read } = await open(scripted([say("Hello to you.")]))
    for (const kept of ["{", '{"messages":7}', '{"messages":[{"role":"assistant"}]}']) {
      await page.evaluate((text) => localStorage.setItem("heddle-web-chat", text), kept)
      await page.reload()
      await page.getByRole("heading", { name: "What shall we look at?" }).waitFor()
    }

    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("It is full", "QuotaExceededError")
      }
    })
    await send("Hello")
    await see("Hello to you.")
    await settle()

    expect(await read()).toEqual(["Hello", "Hello to you."])
    const alerts = await page.getByRole("alert").allTextContents()
    expect(alerts).toEqual(["The browser has no room to keep this conversation."])
  })

  test("never gets the vendor's key, not even from a vendor that quotes it", async () => {
    const apiKey = "sk-proj-0123456789abcdef0123456789abcdef"
    const sent: (string | null)[] = []
    const vendor: typeof fetch = async (input, init) => {
      sent.push(new Request(input, init).headers.get("authorization"))
      return Response.json({ error: { message: `Incorrect API key: ${apiKey}` } }, { status: 401 })
    }
    const model = getModel("openai", "gpt-6-luna")
    const { page, see, send, settle, received } = await open({
      models: [model],
      streamFn: openaiResponses({ apiKey, fetch: vendor }),
    })

    await send("Hello")
    await see("Incorrect API key")
    await settle()

    expect(sent).toEqual([`Bearer ${apiKey}`])
    const seen = `${await received()}${await page.content()}${await page.evaluate(() => JSON.stringify(localStorage))}`
    expect(seen).toContain("Incorrect API key")
    expect(seen).not.toContain(apiKey.slice(8))
  })

  test("can be used with the keyboard alone, and shows where one is", async () => {
    const { page, see, settle, read } = await open(scripted([[say("Half of it"), hang()]]))
    expect(await focused(page)).toBe("Message")

    const stops: string[] = []
    for (let tabs = 0; tabs < 10; tabs++) {
      await page.keyboard.press("Tab")
      stops.push(await focused(page))
    }
    // Between the last and the first stands what belongs to the browser, not to the page.
    expect(stops.filter((stop) => stop !== "")).toEqual([
      "Send",
      "Skip to the message box",
      "Model",
      "New chat",
      "Conversation",
      "What is the title of this page, and what is 12 * (3 + 4)?",
      "Look around this page, step by step",
      "Tell me a long story about weaving",
      "Message",
    ])
    for (const _ of ["Send", "the browser", "Skip to the message box"]) await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    expect(await focused(page)).toBe("Message")

    await page.keyboard.type("Two")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("lines")
    await page.keyboard.press("Enter")
    await see("Half of it")
    await page.keyboard.press("Tab")
    expect(await focused(page)).toBe("Stop")
    await page.keyboard.press("Enter")
    await settle()

    expect(await read()).toEqual(["Two\nlines", "Half of it\nStopped."])
    expect(await focused(page)).toBe("Message")
  })

  test("fits a phone, with buttons that a finger meets", async () => {
    const long = `${"unbreakable".repeat(20)} and more`
    const viewport = { width: 360, height: 640 }
    const { page, see, send } = await open(scripted([[say(long), hang()]]), { viewport, hasTouch: true })

    await send(long)
    await see("and more")

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    const controls = page.locator("header button, header select, #composer button, #composer textarea")
    for (const control of await controls.all()) {
      const box = await control.boundingBox()
      expect(box?.height).toBeGreaterThanOrEqual(44)
      expect(box && box.x + box.width).toBeLessThanOrEqual(viewport.width)
      expect(box && box.y + box.height).toBeLessThanOrEqual(viewport.height)
    }
  })
})

/** The name of what has the focus, as it is read out; with a mark where it could not be seen. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    if (element === document.body) return ""
    const label = document.querySelector(`label[for="${element.id}"]`)?.textContent
    const name = label ?? element.ariaLabel ?? element.textContent
    return getComputedStyle(element).outlineStyle === "none" ? `${name} (not marked)` : name
  })
}
