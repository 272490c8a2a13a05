/** Makes the pictures of the README: the page in the middle of a run, on a desk and on a phone. */
import { fileURLToPath } from "node:url"
import { callTool, hang, say, think } from "@heddle/faux"
import { launch } from "./chromium.ts"
import { openChat, scripted } from "./open-chat.ts"

const PICTURES = [
  { file: "../screenshot.png", viewport: { width: 900, height: 620 }, colorScheme: "light" },
  { file: "../screenshot-phone.png", viewport: { width: 360, height: 620 }, colorScheme: "dark" },
] as const

const browser = await launch()
for (const { file, ...options } of PICTURES) {
  const { page, see, send, close } = await openChat(
    browser,
    scripted([
      [
        think("I need to know the title of the page and what 12 * (3 + 4) is. Only the page can tell."),
        say("Let me look."),
        callTool("page_title"),
        callTool("calculate", { expression: "12 * (3 + 4)" }),
      ],
      [
        think("The reader may also want to know what else is here: the buttons, then the headings."),
        say("This page is called Heddle web chat, and 12 * (3 + 4) is 84. Besides that there"),
        hang(),
      ],
    ]),
    options,
  )
  await send("What is the title of this page, and what is 12 * (3 + 4)?")
  await see("Besides that there")
  await send("Leave out the buttons")
  await page.getByRole("listitem").last().waitFor()
  await page.screenshot({ path: fileURLToPath(new URL(file, import.meta.url)), caret: "initial" })
  await close()
}
await browser.close()
