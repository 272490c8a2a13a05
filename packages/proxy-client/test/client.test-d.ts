import type { Context, Model, SimpleStreamOptions, StreamFn } from "@heddle/types"
import { describe, expectTypeOf, test } from "vitest"
import {
  createProxyStreamFn,
  type ProxyAssistantMessageEvent,
  type ProxyStreamOptions,
  streamProxy,
} from "../src/index.ts"

declare const model: Model
declare const context: Context
declare const options: SimpleStreamOptions

describe("the proxy client's types", () => {
  test("a proxied StreamFn is a StreamFn", () => {
    expectTypeOf(createProxyStreamFn({ proxyUrl: "", authToken: "" })).toExtend<StreamFn>()
    expectTypeOf(createProxyStreamFn({ proxyUrl: "", authToken: async () => "" })).toExtend<StreamFn>()
  })

  test("streamProxy takes the options of any StreamFn, and needs to know where the proxy is", () => {
    expectTypeOf(streamProxy).toBeCallableWith(model, context, { ...options, proxyUrl: "", authToken: "" })
    // @ts-expect-error there is no proxy without an address
    streamProxy(model, context, { authToken: "" })
    expectTypeOf<ProxyStreamOptions>().toExtend<SimpleStreamOptions>()
  })

  test("the events of the wire are known by their types", () => {
    expectTypeOf<
      Extract<ProxyAssistantMessageEvent, { type: "text_delta" }>["delta"]
    >().toEqualTypeOf<string>()
  })
})
