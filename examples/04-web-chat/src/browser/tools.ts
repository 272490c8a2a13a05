/** Tools that only a page can have: they read what its reader sees, and run where the agent runs. */
import { defineTool, textResult } from "@heddle/tools"
import type { AgentTool } from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { calculate } from "./calculate.ts"

const MAX_ELEMENTS = 20
const MAX_CHARACTERS = 2000

export const browserTools: readonly AgentTool[] = [
  defineTool({
    name: "page_title",
    label: "Page title",
    description: "Tells the title and the address of the page that the reader is looking at.",
    parameters: Type.Object({}),
    execute: () => textResult(`${document.title} (${location.host}${location.pathname})`),
  }),
  defineTool({
    name: "read_page",
    label: "Read the page",
    description: `Reads the text of the visible elements that match a CSS selector, at most ${MAX_ELEMENTS} of them.`,
    parameters: Type.Object({
      selector: Type.String({ minLength: 1, description: 'For example "h1, h2" or "button"' }),
    }),
    execute: (_id, { selector }) => {
      const found = [...select(selector)].filter((element) => element.checkVisibility())
      const lines = found.slice(0, MAX_ELEMENTS).map((element) => `<${element.localName}> ${textOf(element)}`)
      return textResult(
        [`Elements that match ${selector}: ${found.length}`, ...lines].join("\n").slice(0, MAX_CHARACTERS),
        { count: found.length },
      )
    },
  }),
  defineTool({
    name: "calculate",
    label: "Calculate",
    description: "Evaluates an arithmetic expression: numbers, + - * / % ^ and brackets.",
    parameters: Type.Object({ expression: Type.String({ minLength: 1 }) }),
    execute: (_id, { expression }) => textResult(`${expression} = ${calculate(expression)}`),
  }),
]

function select(selector: string): NodeListOf<Element> {
  try {
    return document.querySelectorAll(selector)
  } catch {
    throw new Error(`"${selector}" is no CSS selector`)
  }
}

/** What a person sees of an element. */
function textOf(element: Element): string {
  // biome-ignore lint/performance/useDomNodeTextContent: without what is hidden, and with the breaks that are seen
  const text = element instanceof HTMLElement ? element.innerText : element.textContent
  return text.replace(/\s+/g, " ").trim()
}
