import type { AssistantMessageEventStream } from "@heddle/stream"
import type { StreamFn } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import type { AdapterStreamFn, ResponseHead } from "../src/index.ts"

test("an adapter is a StreamFn whose stream needs no await", () => {
  expectTypeOf<AdapterStreamFn>().toExtend<StreamFn>()
  expectTypeOf<ReturnType<AdapterStreamFn>>().toEqualTypeOf<AssistantMessageEventStream>()
})

test("a Response is all that the kit asks of a response", () => {
  expectTypeOf<Response>().toExtend<ResponseHead>()
})
