/** A run as its reader sees it, in a real browser. */
import { callTool, hang, say, think, wait } from "@heddle/faux"
import { expect, test } from "vitest"
import { answer } from "../src/scripted-model.ts"
import { describePage } from "./describe-page.ts"
import { SOON, scripted } from "./open-chat.ts"

describePage("a run in the browser", (open) => {
  test("shows thoughts and text while they arrive", async () => {
    const gate = Promise.withResolvers<void>()
    const script = [think("Hm, greetings."), say("First half, "), wait(gate.promise), say("second half.")]
    const { page, see, send, settle } = await open(scripted([script]))

    await send("Hello")
    await see("First half,")

    expect(await page.getByRole("article", { name: "Answer" }).getAttribute("aria-busy")).toBe("true")
    expect(await page.getByText("second half.").count()).toBe(0)
    expect(await page.getByRole("group").textContent()).toContain("Hm, greetings.")
    gate.resolve()
    await see("second half.")
    await settle()
    expect(await page.getByRole("status").textContent()).toBe("First half, \nsecond half.")
  })

  test("runs tools in the browser and shows what becomes of them", async () => {
    const { see, send, settle, read } = await open(scripted(answer))

    await send("What is the title, what is 12 * (3 + 4), and can you read “h1[”?")
    await see("12 * (3 + 4) = 84.")
    await settle()

    const texts = await read()
    expect(texts).toHaveLength(3)
    expect(texts[1]).toMatch(/page_title[\s\S]*done[\s\S]*read_page[\s\S]*failed[\s\S]*calculate[\s\S]*done/)
    expect(texts[2]).toContain("This page is called Heddle web chat")
    expect(texts[2]).toContain('read_page failed: "h1[" is no CSS selector.')
  })

  test("stops in mid-stream by Escape, keeps what came, and stops the model", async () => {
    const offer = scripted([[say("Half of it"), hang()], say("Again.")])
    const { page, see, send, settle, read } = await open(offer)

    await send("Go")
    await see("Half of it")
    await page.keyboard.press("Escape")
    await settle()

    expect(await read()).toEqual(["Go", "Half of it\nStopped."])
    await expect.poll(() => offer.streamFn.requests[0]?.options.signal?.aborted, SOON).toBe(true)
    await send("Once more")
    await see("Again.")
  })

  test("steers at the next step, follows up at the end", async () => {
    const gate = Promise.withResolvers<void>()
    const offer = scripted([
      [callTool("page_title"), wait(gate.promise)],
      say("Brief it is."),
      say("That was all."),
    ])
    const { page, see, send, settle, read } = await open(offer)

    await send("Look around")
    await see("page_title")
    await page.keyboard.type("Anything else?")
    await page.keyboard.press("Alt+Enter")
    await send("Be brief")
    const waiting = page.getByRole("list", { name: "Waiting messages" }).getByRole("listitem")
    expect(await waiting.allInnerTexts()).toEqual(["Next step: Be brief", "Afterwards: Anything else?"])
    gate.resolve()
    await settle()

    const [, , ...rest] = await read()
    expect(rest).toEqual(["Be brief", "Brief it is.", "Anything else?", "That was all."])
    expect(offer.streamFn.requests[1]?.context.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "user",
    ])
  })

  test("gives back what waited when the run is stopped", async () => {
    const { page, see, send, settle } = await open(scripted([[say("Half of it"), hang()]]))

    await send("Go")
    await see("Half of it")
    await send("Too late")
    await page.getByRole("button", { name: "Stop" }).click()
    await settle()

    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Too late")
  })
})
