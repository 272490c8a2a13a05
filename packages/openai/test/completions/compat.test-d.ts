import type { Model } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import type { OpenAICompletionsCompat } from "../../src/completions/compat.ts"

test("a model of this wire takes this wire's overrides, and no others", () => {
  expectTypeOf<Model<"openai-completions">["compat"]>().toEqualTypeOf<OpenAICompletionsCompat | undefined>()
  expectTypeOf({ maxTokensField: "max_tokens" } as const).toExtend<OpenAICompletionsCompat>()
  expectTypeOf({ maxTokensField: "tokens" } as const).not.toExtend<OpenAICompletionsCompat>()
})

test("a model of any wire may still be passed around as one", () => {
  expectTypeOf<Model<"openai-completions">>().toExtend<Model>()
})
