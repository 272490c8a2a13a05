import type { AssistantMessageEvent, Context, Model, StreamFn } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { AssistantMessageBuilder } from "../src/assistant-message-builder.ts"
import { routeByApi } from "../src/route.ts"

const context: Context = { messages: [] }

describe("routeByApi", () => {
  test("hands model, context and options to the StreamFn of the model's api", async () => {
    const asked: Parameters<StreamFn>[] = []
    const streamFn = routeByApi({ a: saying("from a", asked), b: saying("from b", asked) })
    const model = modelOf("b")
    const options = { apiKey: "test" }

    const message = await (await streamFn(model, context, options)).result()

    expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "text", text: "from b" }] })
    expect(asked).toHaveLength(1)
    expect(asked[0]![0]).toBe(model)
    expect(asked[0]![1]).toBe(context)
    expect(asked[0]![2]).toBe(options)
  })

  test("returns the promise of a StreamFn that makes its stream later", async () => {
    const later: StreamFn = async (...request) => saying("later", [])(...request)

    const stream = routeByApi({ a: later })(modelOf("a"), context)

    expect(stream).toBeInstanceOf(Promise)
    expect((await (await stream).result()).content).toMatchObject([{ text: "later" }])
  })

  test("answers an unknown api with one error event that names the known ones in order", async () => {
    const streamFn = routeByApi({ zeta: saying("z", []), alpha: saying("a", []) })

    const stream = await streamFn(modelOf("unheard-of"), context)
    const events: AssistantMessageEvent[] = []
    for await (const event of stream) events.push(event)

    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      type: "error",
      reason: "error",
      error: {
        role: "assistant",
        content: [],
        api: "unheard-of",
        provider: "somebody",
        model: "some-model",
        stopReason: "error",
        errorMessage: 'No StreamFn for the api "unheard-of" of the model. Known apis: alpha, zeta.',
        failure: { code: "invalid_request", retryable: false },
      },
    })
    expect(await stream.result()).toEqual((events[0] as { error: unknown }).error)
  })

  test("says so when it knows no api at all", async () => {
    const message = await (await routeByApi({})(modelOf("a"), context)).result()

    expect(message.errorMessage).toBe('No StreamFn for the api "a" of the model. No api is known.')
  })

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", ""])(
    "knows no api %j that nobody put into the table",
    async (api) => {
      const message = await (await routeByApi({ a: saying("a", []) })(modelOf(api), context)).result()

      expect(message).toMatchObject({ stopReason: "error", failure: { code: "invalid_request" } })
    },
  )

  test.each(["__proto__", "constructor"])("routes an api %j that is an own key of the table", async (api) => {
    const table = Object.fromEntries([[api, saying("own", [])]])

    const message = await (await routeByApi(table)(modelOf(api), context)).result()

    expect(message.content).toMatchObject([{ text: "own" }])
  })

  test("takes a table without a prototype", async () => {
    const table: Record<string, StreamFn> = Object.assign(Object.create(null), { a: saying("bare", []) })

    expect((await (await routeByApi(table)(modelOf("a"), context)).result()).content).toMatchObject([
      { text: "bare" },
    ])
  })

  test("never throws for an entry that is undefined, and does not name it", async () => {
    const table = { a: saying("a", []), gone: undefined as unknown as StreamFn }

    const message = await (await routeByApi(table)(modelOf("gone"), context)).result()

    expect(message.errorMessage).toBe('No StreamFn for the api "gone" of the model. Known apis: a.')
  })
})

function saying(text: string, asked: Parameters<StreamFn>[]): StreamFn {
  return (...request) => {
    asked.push(request)
    const builder = new AssistantMessageBuilder(request[0])
    builder.text(0, text)
    builder.done("stop")
    return builder.stream
  }
}

function modelOf(api: string): Model {
  return Object.freeze({
    id: "some-model",
    name: "Some model",
    api,
    provider: "somebody",
    baseUrl: "",
    reasoning: false,
    input: ["text"] as const,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1000,
    maxTokens: 100,
  })
}
