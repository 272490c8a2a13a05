import type { Model } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import type { BedrockConverseCompat } from "../src/compat.ts"

test("a model of this wire takes this wire's overrides, and no others", () => {
  expectTypeOf<Model<"bedrock-converse-stream">["compat"]>().toEqualTypeOf<
    BedrockConverseCompat | undefined
  >()
  expectTypeOf({ thinkingFormat: "adaptive" } as const).toExtend<BedrockConverseCompat>()
  expectTypeOf({ thinkingFormat: "hard" } as const).not.toExtend<BedrockConverseCompat>()
})

test("a model of any wire may still be passed around as one", () => {
  expectTypeOf<Model<"bedrock-converse-stream">>().toExtend<Model>()
})
