/**
 * A model without a network: it plans from the words of the question, calls the page's tools, and answers from
 * what they really said.
 */
import { callTool, type Reply, say, think } from "@heddle/faux"
import type { Context, Message } from "@heddle/types"

const STORY = [
  "Once there was a loom that remembered every cloth it had made.",
  "In the morning the weaver hung the warp: thread after thread, each through the eye of its own heddle, so that none could take the place of another.",
  "At noon she threw the shuttle, and with every pass the pattern grew by one line. She never saw the whole of it, only the line under her hands and the lines that were already done.",
  "When a thread broke she did not begin anew. She stopped, tied a small knot that nobody would ever notice, and went on from where she was.",
  "In the evening a child asked whether the cloth was finished. The weaver cut it from the loom, held it up to the light, and said: it is now.",
].join("\n\n")

const HELP =
  "I am a script, so I know little: ask me for the title of this page, for its headings or buttons, for a calculation, or for a long story. Say “step by step” to see one tool after the other."

interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  readonly why: string
}

/** Plays one request of the conversation: the script for `faux`. */
export function answer({ messages }: Context): Reply {
  const open = messages.slice(messages.findLastIndex(isFinished) + 1)
  const questions = open.filter((message) => message.role === "user").map(textOf)
  const made = new Set(
    open.flatMap((message) =>
      message.role !== "assistant"
        ? []
        : message.content.map((block) => block.type === "toolCall" && keyOf(block.name, block.arguments)),
    ),
  )
  const wanted = questions.flatMap(plan).filter(({ name, args }) => !made.has(keyOf(name, args)))
  if (wanted.length === 0) return conclude(questions, open)
  const next = questions.some((question) => /step by step/i.test(question)) ? wanted.slice(0, 1) : wanted
  return [
    think(`I need to know ${next.map(({ why }) => why).join(" and ")}. Only the page can tell.`),
    ...(made.size === 0 ? [say("Let me look.")] : []),
    ...next.map(({ name, args }) => callTool(name, args)),
  ]
}

/** What must be known for an answer, by the words of the question. */
function plan(question: string): Call[] {
  const calls: Call[] = []
  const around = /look around/i.test(question)
  if (around || /\btitle\b|page_title/i.test(question)) {
    calls.push({ name: "page_title", args: {}, why: "the title of the page" })
  }
  const selector = around ? "h1" : selectorIn(question)
  if (selector) calls.push({ name: "read_page", args: { selector }, why: `what ${selector} says` })
  if (around) calls.push({ name: "read_page", args: { selector: "button" }, why: "which buttons there are" })
  const expression = /[\d(][\d\s.()]*(?:[-+*/%^]\s*[\d(][\d\s.()]*)+/.exec(question)?.[0].trim()
  if (expression) calls.push({ name: "calculate", args: { expression }, why: `what ${expression} is` })
  return calls
}

function selectorIn(question: string): string | undefined {
  const quoted = /["“`]([^"”`]+)["”`]/.exec(question)?.[1]
  if (/\bread(_page)?\b/i.test(question) && quoted) return quoted
  if (/\bheadings?\b/i.test(question)) return "h1, h2"
  if (/\bbuttons?\b/i.test(question)) return "button"
  return undefined
}

function conclude(questions: readonly string[], open: readonly Message[]): Reply {
  const sentences = open.flatMap((message) => {
    if (message.role !== "toolResult") return []
    const [first = "", ...lines] = textOf(message).split("\n")
    if (message.isError) return [`${message.toolName} failed: ${first}.`]
    if (message.toolName === "page_title") return [`This page is called ${first}.`]
    return [`${first}.`, ...lines.map((line) => `  ${line}`)]
  })
  for (const question of questions) {
    if (/\bstory\b/i.test(question)) sentences.push(STORY)
    else if (plan(question).length === 0) {
      sentences.push(questions.length > 1 ? `And I have heard you: “${question}”.` : `“${question}”? ${HELP}`)
    }
  }
  return say(sentences.join("\n"))
}

/** An answer that asks for no more tools ends what the questions before it wanted. */
function isFinished(message: Message): boolean {
  return message.role === "assistant" && message.stopReason !== "toolUse"
}

function keyOf(name: string, args: object): string {
  return `${name} ${JSON.stringify(args)}`
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
}
