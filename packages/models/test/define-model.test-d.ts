import type { Model } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import { defineModel } from "../src/index.ts"

test("a model of one's own knows its wire", () => {
  const model = defineModel({ id: "a", api: "openai-completions", provider: "ollama", contextWindow: 8192 })

  expectTypeOf(model).toEqualTypeOf<Model<"openai-completions">>()
  expectTypeOf(model).toExtend<Model>()
})

test("what cannot be known by default must be said", () => {
  // @ts-expect-error how much fits in is not known
  defineModel({ id: "a", api: "openai-completions", provider: "ollama" })
})
