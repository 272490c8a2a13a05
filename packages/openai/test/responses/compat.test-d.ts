import type { Model } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import type { OpenAIResponsesCompat } from "../../src/index.ts"

test("a model of the Responses API says how its server differs in typed fields", () => {
  expectTypeOf<Model<"openai-responses">["compat"]>().toEqualTypeOf<OpenAIResponsesCompat | undefined>()
  expectTypeOf<OpenAIResponsesCompat["systemPrompt"]>().toEqualTypeOf<
    "instructions" | "developer" | "system" | undefined
  >()
})
