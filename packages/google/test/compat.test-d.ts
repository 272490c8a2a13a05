import type { Model, StreamFn } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import { type GoogleGenerativeAiCompat, googleGenerativeAi } from "../src/index.ts"

test("a model of this wire takes this wire's overrides, and no others", () => {
  expectTypeOf<Model<"google-generative-ai">["compat"]>().toEqualTypeOf<
    GoogleGenerativeAiCompat | undefined
  >()
  expectTypeOf({ thinkingFormat: "level" } as const).toExtend<GoogleGenerativeAiCompat>()
  expectTypeOf({ thinkingFormat: "loud" } as const).not.toExtend<GoogleGenerativeAiCompat>()
})

test("a model of any wire may still be passed around as one", () => {
  expectTypeOf<Model<"google-generative-ai">>().toExtend<Model>()
})

test("the factory gives a StreamFn, and takes plain strings where the SDK has enums", () => {
  expectTypeOf(googleGenerativeAi()).toExtend<StreamFn>()
  expectTypeOf(googleGenerativeAi).toBeCallableWith({
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
  })
})
