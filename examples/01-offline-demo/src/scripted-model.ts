/**
 * A model without a network: it plans from the words of the question, calls real tools, and answers from what
 * they really said. Every fact in its answers is read off a tool result.
 */
import { callTool, type Reply, say, think } from "@heddle/faux"
import type { Context, ToolCall, ToolResultMessage } from "@heddle/types"
import { readQuestion, type Wish } from "./question.ts"

/** Plays one request of the conversation: the script for `faux`. */
export function answer(context: Context): Reply {
  const start = context.messages.findLastIndex((message) => message.role === "user")
  const question = textOf(context.messages[start])
  const wish = readQuestion(question)
  const facts = readResults(context, start)
  if (facts.size === 0) return firstLook(wish)
  const more = secondLook(wish, facts)
  return more.length > 0 ? more : conclude(wish, facts)
}

/** Successful and failed results so far, by tool. */
type Facts = Map<string, { readonly call: ToolCall; readonly text: string; readonly failed: boolean }[]>

function firstLook(wish: Wish): Reply {
  const calls: Reply[] = []
  if (wish.aboutFolder) calls.push(callTool("list_folder", { path: ".", recursive: true }))
  if (wish.search !== undefined) calls.push(callTool("search_text", { text: wish.search }))
  if (wish.expression !== undefined) calls.push(callTool("calculate", { expression: wish.expression }))
  if (wish.time) calls.push(callTool("current_time", wish.time.zone ? { timeZone: wish.time.zone } : {}))
  const parts = [
    wish.aboutFolder && "what is in the folder",
    wish.search !== undefined && `where "${wish.search}" stands`,
    wish.expression !== undefined && `what ${wish.expression} is`,
    wish.time && "what time it is",
  ].filter((part) => typeof part === "string")
  return [think(`I need to know ${join(parts)}.`), say("Let me look."), ...calls]
}

/** Files that the question names, or that are worth a look; and what they lead to. */
function secondLook(wish: Wish, facts: Facts): Reply[] {
  if (facts.has("read_file") || !wish.aboutFolder) return []
  const listed = filesIn(facts)
  const named = nearest(listed.filter(({ path }) => wish.names.some((name) => isNamed(path, name))))
  const plain = !wish.counts && !wish.sizes && wish.search === undefined
  const readme = listed.filter(({ path }) => /^readme(\.\w+)?$/i.test(path))
  const chosen = (named.length > 0 ? named : plain ? readme : []).slice(0, 3)
  const searched = facts.has("search_text") || named.length > 0 || !plain
  const word = wish.names.find((name) => name.length > 3)
  const calls = chosen.map(({ path }) => callTool("read_file", { path }))
  if (!searched && word !== undefined) calls.push(callTool("search_text", { text: word }))
  if (calls.length === 0) return []
  return [
    think(chosen.length > 0 ? `${join(chosen.map(({ path }) => path))} should tell.` : "Let me search."),
    ...calls,
  ]
}

function conclude(wish: Wish, facts: Facts): Reply {
  const sentences: string[] = []
  for (const name of ["calculate", "current_time"]) {
    for (const { text, failed } of facts.get(name) ?? []) {
      sentences.push(
        failed ? `${name} failed: ${text}` : name === "calculate" ? `${text}.` : `It is ${text}.`,
      )
    }
  }
  if (facts.has("list_folder")) sentences.push(...describeListing(wish, facts))
  for (const { text, call } of facts.get("search_text") ?? []) {
    const [count = "", ...hits] = text.split("\n")
    sentences.push(
      `Searching for "${String(call.arguments.text)}" gives ${count}${hits.length > 0 ? ":" : "."}`,
    )
    sentences.push(...hits.slice(0, 5).map((hit) => `  ${hit}`))
    if (hits.length > 5) sentences.push("  …")
  }
  for (const { text, failed } of facts.get("read_file") ?? []) {
    const [head = "", ...lines] = text.split("\n")
    sentences.push(failed ? `A file could not be read: ${text}` : `${head}:`)
    if (!failed) sentences.push(...excerpt(lines).map((line) => `  ${line}`))
  }
  return say(sentences.join("\n"))
}

function describeListing(wish: Wish, facts: Facts): string[] {
  const [listing] = facts.get("list_folder") ?? []
  if (!listing || listing.failed) return [`The folder could not be listed: ${listing?.text}`]
  const [totals = ""] = listing.text.split("\n")
  const files = filesIn(facts)
  const sentences = [`There are ${totals.replace(", ", " and ")} here.`]
  const kinds = countBy(files.map(({ path }) => /\.\w+$/.exec(path)?.[0] ?? "no ending"))
  if (wish.counts || files.length > 1) {
    sentences.push(`By kind: ${join(kinds.slice(0, 6).map(([kind, count]) => `${count} × ${kind}`))}.`)
  }
  const bySize = [...files].sort((a, b) => b.size - a.size)
  const [largest, smallest] = [bySize[0], bySize.at(-1)]
  if (wish.sizes && largest && smallest) {
    sentences.push(`The largest file is ${largest.path} (${largest.size} bytes).`)
    sentences.push(`The smallest is ${smallest.path} (${smallest.size} bytes).`)
  }
  if (!wish.counts && !wish.sizes && files.length > 0) {
    const top = files.filter(({ path }) => !path.includes("/")).map(({ path }) => path)
    if (top.length > 0)
      sentences.push(`At the top: ${join(top.slice(0, 12))}${top.length > 12 ? ", …" : ""}.`)
  }
  return sentences
}

function readResults(context: Context, start: number): Facts {
  const calls = new Map<string, ToolCall>()
  const facts: Facts = new Map()
  for (const message of context.messages.slice(start + 1)) {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") calls.set(block.id, block)
    } else if (message.role === "toolResult") {
      const call = calls.get(message.toolCallId)
      const known = facts.get(message.toolName) ?? []
      if (call)
        facts.set(message.toolName, [...known, { call, text: textOf(message), failed: message.isError }])
    }
  }
  return facts
}

function filesIn(facts: Facts): { path: string; size: number }[] {
  const [listing] = facts.get("list_folder") ?? []
  const lines = listing?.failed ? [] : (listing?.text.split("\n") ?? [])
  return lines.flatMap((line) => {
    const [, size, path] = /^file (\d+) (.+)$/.exec(line) ?? []
    return path === undefined ? [] : [{ path, size: Number(size) }]
  })
}

/** A whole name, or one without its ending: "readme" names README.md. */
function isNamed(path: string, name: string): boolean {
  const wanted = name.toLowerCase()
  const file = path.toLowerCase()
  const base = file.slice(file.lastIndexOf("/") + 1)
  return file === wanted || base === wanted || base.replace(/\.\w+$/, "") === wanted
}

/** Of files with the same name, the ones closest to the top. */
function nearest(files: readonly { path: string; size: number }[]): { path: string; size: number }[] {
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const depthOf = (path: string) => path.split("/").length
  return files.filter(
    ({ path }) =>
      !files.some((other) => nameOf(other.path) === nameOf(path) && depthOf(other.path) < depthOf(path)),
  )
}

function excerpt(lines: readonly string[]): string[] {
  const said = lines.filter((line) => line.trim() !== "")
  const shown = said.slice(0, 8).map((line) => (line.length > 160 ? `${line.slice(0, 160)}…` : line))
  return said.length > shown.length ? [...shown, "…"] : shown
}

function countBy(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}

function join(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`
}

function textOf(message: Context["messages"][number] | ToolResultMessage | undefined): string {
  if (!message) return ""
  if (typeof message.content === "string") return message.content
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
}
