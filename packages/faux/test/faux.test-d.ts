import type { AssistantMessage, Context, Model, SimpleStreamOptions, StreamFn } from "@heddle/types"
import { describe, expectTypeOf, test } from "vitest"
import {
  faux,
  fauxModel,
  type Malformation,
  malformed,
  type Reply,
  record,
  replay,
  type Script,
  say,
} from "../src/index.ts"

describe("faux", () => {
  test("is a StreamFn that answers without a promise", () => {
    const streamFn = faux([say("Hello")])

    expectTypeOf(streamFn).toExtend<StreamFn>()
    expectTypeOf(streamFn(fauxModel(), { messages: [] }).result()).toEqualTypeOf<Promise<AssistantMessage>>()
  })

  test("takes replies, nested lists of parts, functions and lists of functions", () => {
    expectTypeOf([
      say("a"),
      [say("b"), [say("c")]],
      () => say("d"),
      async () => [say("e")],
    ]).toExtend<Script>()
    expectTypeOf((_: Context, options: SimpleStreamOptions, index: number) =>
      say(`${index} ${options.temperature}`),
    ).toExtend<Script>()
    expectTypeOf<string>().not.toExtend<Reply>()
  })

  test("knows the ways to be malformed", () => {
    expectTypeOf(malformed).parameter(0).toEqualTypeOf<Malformation>()
    expectTypeOf<"politely">().not.toExtend<Malformation>()
  })
})

test("fauxModel is a Model", () => {
  expectTypeOf(fauxModel({ id: "b", name: undefined })).toEqualTypeOf<Model>()
})

test("record wraps any StreamFn, and replay is one", () => {
  expectTypeOf(record).parameter(0).toEqualTypeOf<StreamFn>()
  expectTypeOf(record(faux([]), () => {})).toExtend<StreamFn>()
  expectTypeOf(replay("")).toEqualTypeOf<StreamFn>()
})
