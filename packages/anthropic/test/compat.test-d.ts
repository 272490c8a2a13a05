import type { Model } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import type { AnthropicMessagesCompat } from "../src/index.ts"

test("a model of this wire takes this wire's overrides, and no others", () => {
  expectTypeOf<Model<"anthropic-messages">["compat"]>().toEqualTypeOf<AnthropicMessagesCompat | undefined>()
  expectTypeOf({ thinkingOff: "disabled" } as const).toExtend<AnthropicMessagesCompat>()
  expectTypeOf({ thinkingOff: "never" } as const).not.toExtend<AnthropicMessagesCompat>()
})

test("a model of any wire may still be passed around as one", () => {
  expectTypeOf<Model<"anthropic-messages">>().toExtend<Model>()
})
