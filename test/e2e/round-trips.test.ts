/**
 * What one vendor has said is history for all others: they must take it, and nothing that is not theirs may be
 * left in it.
 *
 * The conversations are recorded answers of every wire, read by its adapter. Each goes to every provider of
 * `providers.ts`, whose adapter writes the body; `request-rules.ts` judges it. A schema for foreign history has no
 * place for signatures, thinking and blocks of a vendor's own.
 */
import type { AssistantMessage, Message, Tool, ToolResultMessage } from "@heddle/types"
import { beforeAll, describe, expect, test } from "vitest"
import { PROVIDERS, type ProviderRow } from "./providers.ts"
import { HAS_RECORDINGS, RECORDED_WIRES, readRecording, recordingsOf, WHERE } from "./recordings.ts"
import { violationsOf } from "./request-rules.ts"

interface Answer {
  readonly name: string
  readonly message: AssistantMessage
}

const answers = new Map<string, readonly Answer[]>()

beforeAll(async () => {
  for (const wire of RECORDED_WIRES) {
    const read = recordingsOf(wire).map(async (recording) => {
      return { name: recording.name, message: deepFreeze(await readRecording(recording)) }
    })
    answers.set(wire.api, await Promise.all(read))
  }
})

describe.runIf(HAS_RECORDINGS).each(RECORDED_WIRES)(`A conversation of ${WHERE} of $api`, ({ api }) => {
  test.each(PROVIDERS)("is taken by $name in the middle of a run, after the tools", async (row) => {
    const calling = (answers.get(api) ?? []).filter(({ message }) => resultsOf(message).length > 0)
    expect(calling.length).toBeGreaterThan(5)

    const offences = await Promise.all(
      calling.map(async ({ name, message }) => {
        const body = await bodyFor(row, [user("Hi."), message, ...resultsOf(message)])
        return violationsOf(row.model, body, "foreign").map((violation) => `${name}: ${violation}`)
      }),
    )
    expect(offences.flat()).toEqual([])
  })

  test.each(PROVIDERS)("is taken by $name when it is one long one, with ids that come again", async (row) => {
    const turns = (answers.get(api) ?? []).flatMap(({ message }) => [
      message,
      ...resultsOf(message),
      user("Go on."),
    ])

    const body = await bodyFor(row, [user("Hi."), ...turns])

    expect(violationsOf(row.model, body, "foreign")).toEqual([])
  })

  test.each(PROVIDERS)("is taken by $name when it stops before the results", async (row) => {
    const turns = (answers.get(api) ?? []).map(({ message }) => message)

    const body = await bodyFor(row, [user("Hi."), ...turns, user("Go on.")])

    expect(violationsOf(row.model, body, "foreign")).toEqual([])
  })
})

describe.runIf(HAS_RECORDINGS)(`A conversation of ${WHERE} of every wire`, () => {
  test.each(PROVIDERS)("keeps its words and its calls at $name", async (row) => {
    const sample = [...answers.values()].flatMap((all) =>
      all.filter(({ message }) => isWhole(message)).slice(0, 8),
    )
    const turns = sample.flatMap(({ message }) => [message, ...resultsOf(message), user("Go on.")])

    const text = JSON.stringify(await bodyFor(row, [user("Hi."), ...turns]))

    for (const block of sample.flatMap(({ message }) => message.content)) {
      if (block.type === "text" && block.text.trim() !== "") expect(text).toContain(quoted(block.text))
      if (block.type === "toolCall") expect(text).toContain(`"${block.name}"`)
    }
  })
})

/** A tool of which nobody asks anything here: without one, no vendor takes calls. */
const tool: Tool = {
  name: "noop",
  description: "Does nothing.",
  parameters: { type: "object", properties: {} },
}

/** The body that the provider's adapter sends, with the address that it would be refused at. */
async function bodyFor(row: ProviderRow, messages: readonly Message[]): Promise<unknown> {
  const bodies: unknown[] = []
  const stream = await row.streamFn(
    { ...row.model, baseUrl: row.model.baseUrl || "http://localhost" },
    { systemPrompt: "Be brief.", messages, tools: [tool] },
    {
      apiKey: "sk-nobody",
      ...(row.level !== "off" && { reasoning: row.level }),
      maxRetries: 0,
      fetch: async (input, init) => {
        bodies.push(await new Request(input, init).json())
        return new Response("{}", { status: 400, headers: { "content-type": "application/json" } })
      },
    },
  )
  const { errorMessage } = await stream.result()
  if (bodies.length !== 1) throw new Error(`${row.name} sent ${bodies.length} requests: ${errorMessage}`)
  return bodies[0]
}

function user(content: string): Message {
  return { role: "user", content, timestamp: 0 }
}

function resultsOf({ content }: AssistantMessage): ToolResultMessage[] {
  return content.flatMap((block) =>
    block.type === "toolCall"
      ? {
          role: "toolResult" as const,
          toolCallId: block.id,
          toolName: block.name,
          content: [{ type: "text" as const, text: "done" }],
          isError: block.argumentsError !== undefined,
          timestamp: 0,
        }
      : [],
  )
}

/** Neither failed nor interrupted: those are left out, or in part. */
function isWhole({ stopReason }: AssistantMessage): boolean {
  return stopReason !== "error" && stopReason !== "aborted"
}

function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1)
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner)
  }
  return Object.freeze(value)
}
