/**
 * The demo's tools: real ones, on a real folder. What they say is written for a model: facts, one a line.
 */
import { defineTool, textResult } from "@heddle/tools"
import type { AgentTool } from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { calculate } from "./calculate.ts"
import type { Folder } from "./folder.ts"

const MAX_HITS = 50
const MAX_CHARACTERS = 20_000

export function folderTools(folder: Folder, now: () => Date = () => new Date()): AgentTool[] {
  return [
    defineTool({
      name: "list_folder",
      label: "List folder",
      description: "Lists files with their sizes in bytes, and folders, below a path of the folder.",
      parameters: Type.Object({
        path: Type.Optional(Type.String({ description: 'Relative to the folder. Default "."' })),
        recursive: Type.Optional(Type.Boolean({ description: "Default true" })),
      }),
      execute: async (_id, { path, recursive }) => {
        const { entries, complete } = await folder.list(path, recursive)
        const files = entries.filter((entry) => entry.kind === "file")
        return textResult(
          [
            `${files.length} files, ${entries.length - files.length} folders${complete ? "" : " (and more)"}`,
            ...entries.map((entry) =>
              entry.kind === "file" ? `file ${entry.size} ${entry.path}` : `folder ${entry.path}/`,
            ),
          ].join("\n"),
          { files: files.length },
        )
      },
    }),
    defineTool({
      name: "read_file",
      label: "Read file",
      description: "Reads a text file of the folder.",
      parameters: Type.Object({ path: Type.String({ description: "Relative to the folder" }) }),
      execute: async (_id, { path }) => {
        const text = await folder.read(path)
        const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
        const shown = text.slice(0, MAX_CHARACTERS)
        const cut = shown.length < text.length ? " (the beginning)" : ""
        return textResult(`${path}: ${lines} lines${cut}\n${shown}`, { lines })
      },
    }),
    defineTool({
      name: "search_text",
      label: "Search text",
      description: "Finds the lines of the folder's text files that contain a text, upper or lower case.",
      parameters: Type.Object({ text: Type.String({ minLength: 1 }) }),
      execute: async (_id, { text }, signal, onUpdate) => {
        const wanted = text.toLowerCase()
        const hits: string[] = []
        const files = new Set<string>()
        let count = 0
        for (const entry of (await folder.list()).entries) {
          signal?.throwIfAborted()
          if (entry.kind !== "file") continue
          // What cannot be read as text has no lines to find.
          const content = await folder.read(entry.path).catch(() => "")
          for (const [index, line] of content.split("\n").entries()) {
            if (!line.toLowerCase().includes(wanted)) continue
            count++
            files.add(entry.path)
            if (hits.length < MAX_HITS) hits.push(`${entry.path}:${index + 1}: ${line.trim().slice(0, 200)}`)
          }
          if (files.has(entry.path)) onUpdate?.(textResult(`${count} matches so far`, { count }))
        }
        return textResult([`${count} matches in ${files.size} files`, ...hits].join("\n"), { count })
      },
    }),
    defineTool({
      name: "calculate",
      label: "Calculate",
      description: "Evaluates an arithmetic expression: + - * / % ^ ( ) and functions such as sqrt.",
      parameters: Type.Object({ expression: Type.String({ minLength: 1, maxLength: 500 }) }),
      execute: (_id, { expression }) => textResult(`${expression} = ${calculate(expression)}`, {}),
    }),
    defineTool({
      name: "current_time",
      label: "Current time",
      description: "Tells date and time, with the time zone.",
      parameters: Type.Object({
        timeZone: Type.Optional(Type.String({ description: "IANA name, for example Asia/Tokyo" })),
      }),
      execute: (_id, { timeZone }) => {
        const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
        let format: Intl.DateTimeFormat
        try {
          format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone: zone })
        } catch {
          throw new Error(`There is no time zone ${zone}; use an IANA name such as Asia/Tokyo`)
        }
        return textResult(`${format.format(now())} (${zone})`, {})
      },
    }),
  ]
}
