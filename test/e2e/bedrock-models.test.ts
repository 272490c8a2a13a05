/**
 * The models behind Bedrock: each is asked for a text, for a second turn after it has thought, and to go on with a
 * conversation that another model has signed; and each is asked for what it is known to refuse.
 *
 * By default a local server takes everything, and what matters is what it was sent. With `LIVE=1` and credentials
 * it is Bedrock, and what matters is what it says.
 */
import { bedrockConverse } from "@heddle/bedrock"
import { say, stop, think, usage } from "@heddle/conformance"
import { bedrockWire, type FaultServer, startFaultServer } from "@heddle/conformance/node"
import { defineModel } from "@heddle/models"
import type { AssistantMessage, Message, Model, SimpleStreamOptions } from "@heddle/types"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { BEDROCK_MODELS, type BedrockModelRow, type Provocation } from "./bedrock-models.ts"
import { IS_LIVE, LIVE_LIMITS, whyNotAsked } from "./live.ts"
import { PROVIDERS } from "./providers.ts"
import { violationsOf } from "./request-rules.ts"

const keys = PROVIDERS.find(({ model }) => model.provider === "amazon-bedrock")?.keys ?? []
const skipped = IS_LIVE ? whyNotAsked(keys) : ""
const streamFn = bedrockConverse({ region: process.env.AWS_REGION || "us-east-1" })

/** A text that can be recognised, and a signature that no model of Bedrock made. */
const FOREIGN_THOUGHT = "They want a greeting."
const FOREIGN_SIGNATURE = "Zm9yZWlnbg"
const OWN_SIGNATURE = "b3du"

/** Claude signs what it thinks; most others do not. */
const servers = new Map<boolean, FaultServer>()

beforeAll(async () => {
  for (const isSigned of [true, false]) {
    const thought = think("Hm.", isSigned ? { signature: OWN_SIGNATURE } : {})
    const steps = [thought, say("Hello."), stop(), usage({ input: 1, output: 1 })]
    servers.set(isSigned, await startFaultServer(bedrockWire, { replies: [{ type: "stream", steps }] }))
  }
})
afterAll(async () => {
  for (const server of servers.values()) await server.close()
})

const usable = BEDROCK_MODELS.filter(({ refuses = {} }) => !refuses["any request"])
const exceptions = BEDROCK_MODELS.flatMap((row) =>
  Object.entries(row.refuses ?? {}).map(([how, says]) => ({ ...row, how: how as Provocation, says })),
)

describe.skipIf(skipped)(
  `Bedrock${IS_LIVE ? skipped : ", as a local server,"}`,
  IS_LIVE ? LIVE_LIMITS : {},
  () => {
    test.each(usable)("answers as $id", async (row) => {
      const { message } = await ask(modelOf(row), [user("Say hello.")], { maxTokens: row.maxTokens })

      expectAnswer(message)
    })

    test.each(usable)("goes on after a turn of $id in which it may have thought", async (row) => {
      const model = modelOf(row)
      const { message: first } = await ask(model, [user("Say hello.")], { reasoning: "low" })
      const { message, body } = await ask(model, [user("Say hello."), first, user("Now say it in French.")], {
        reasoning: "low",
      })

      expectAnswer(first)
      expectAnswer(message)
      if (IS_LIVE) return
      if (isSigning(row)) expect(body).toContain(`"signature":"${OWN_SIGNATURE}"`)
      if (row.refuses?.["reasoning in the conversation"]) expect(body).not.toContain("reasoningContent")
    })

    test.each(usable)("lets $id go on with what another model has thought and signed", async (row) => {
      const { message, body } = await ask(modelOf(row), [
        user("Hi."),
        foreignAnswer(),
        user("Now in French."),
      ])

      expectAnswer(message)
      expect(body).not.toContain(FOREIGN_SIGNATURE)
      expect(body).not.toContain(FOREIGN_THOUGHT)
    })

    test.each(exceptions)(
      IS_LIVE ? "refuses $how to $id" : "provokes $id with $how",
      async ({ how, says, ...row }) => {
        const { model, messages, options, mark } = PROVOCATIONS[how](row)

        const { message, body, path } = await ask(model, messages, options)

        expect(`${path} ${body}`).toMatch(mark)
        if (IS_LIVE) {
          expect(message).toMatchObject({ stopReason: "error", failure: { retryable: false } })
          expect(message.errorMessage).toMatch(says)
        }
      },
    )
  },
)

interface Attempt {
  readonly model: Model
  readonly messages: readonly Message[]
  readonly options: SimpleStreamOptions
  /** How the request shows what it is about. */
  readonly mark: RegExp
}

const PROVOCATIONS: Readonly<Record<Provocation, (row: BedrockModelRow) => Attempt>> = {
  "any request": (row) => ({
    model: modelOf(row),
    messages: [user("Say hello.")],
    options: {},
    mark: new RegExp(encodeURIComponent(row.profile ?? row.id)),
  }),
  "a request without a profile": ({ profile: _, ...row }) => ({
    model: modelOf(row),
    messages: [user("Say hello.")],
    options: {},
    mark: new RegExp(`/model/${encodeURIComponent(row.id)}/`),
  }),
  "a limit that is too high": (row) => ({
    model: { ...modelOf(row), maxTokens: 999_999, contextWindow: 9_999_999 },
    messages: [user("Say hello.")],
    options: { maxTokens: 999_999 },
    mark: /"maxTokens":999999/,
  }),
  "reasoning in the conversation": (row) => {
    const model = { ...modelOf(row), compat: { unsignedThinking: "send" } }
    const own = { ...foreignAnswer(), api: model.api, provider: model.provider, model: model.id }
    const content = own.content.map((block) =>
      block.type === "thinking" ? { type: block.type, thinking: block.thinking } : block,
    )
    return {
      model,
      messages: [user("Hi."), { ...own, content }, user("Now in French.")],
      options: {},
      mark: /"reasoningContent":\{"reasoningText":\{"text":"They want a greeting\."\}\}/,
    }
  },
}

function isSigning({ id }: BedrockModelRow): boolean {
  return id.startsWith("anthropic.")
}

function modelOf(row: BedrockModelRow): Model {
  const { id, profile, contextWindow, maxTokens, thinks = false } = row
  return defineModel({
    id: profile ?? id,
    api: "bedrock-converse-stream",
    provider: "amazon-bedrock",
    baseUrl: IS_LIVE ? "" : (servers.get(isSigning(row))?.url ?? ""),
    reasoning: thinks,
    contextWindow,
    maxTokens,
  })
}

async function ask(model: Model, messages: readonly Message[], options: SimpleStreamOptions = {}) {
  const requests: string[] = []
  const stream = await streamFn(
    model,
    { messages },
    {
      ...(!IS_LIVE && { apiKey: "bedrock-api-key-local", maxRetries: 0 }),
      ...options,
      fetch: (input, init) => {
        const { url } = new Request(input, init)
        requests.push(new URL(url).pathname, String(init?.body))
        return fetch(input, init)
      },
    },
  )
  const message = await stream.result()
  const [path = "", body = ""] = requests.slice(-2)
  expect(violationsOf(model, JSON.parse(body || "{}"), "own")).toEqual([])
  return { message, path, body }
}

function expectAnswer(message: AssistantMessage): void {
  expect(message.errorMessage).toBeUndefined()
  expect(message.content.some((block) => block.type === "text" && block.text.trim() !== "")).toBe(true)
}

function user(content: string): Message {
  return { role: "user", content, timestamp: 0 }
}

function foreignAnswer(): AssistantMessage {
  return {
    role: "assistant",
    content: [
      { type: "thinking", thinking: FOREIGN_THOUGHT, thinkingSignature: FOREIGN_SIGNATURE },
      { type: "text", text: "Hello." },
    ],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-haiku-4-5",
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "stop",
    timestamp: 0,
  }
}
