import type { Model } from "@heddle/types"
import { expectTypeOf, test } from "vitest"
import {
  type CatalogueModel,
  findModel,
  getModel,
  getModels,
  getProviders,
  type ModelId,
} from "../src/index.ts"
import { anthropic } from "../src/providers/anthropic.ts"

test("a model by literal names is never undefined, and knows its wire, its provider and its id", () => {
  const model = getModel("anthropic", "claude-opus-5-5")

  expectTypeOf(model).toExtend<Model<"anthropic-messages">>()
  expectTypeOf(model.api).toEqualTypeOf<"anthropic-messages">()
  expectTypeOf(model.provider).toEqualTypeOf<"anthropic">()
  expectTypeOf(model.id).toEqualTypeOf<"claude-opus-5-5">()
  expectTypeOf(getModel("groq", "openai/gpt-oss-20b").api).toEqualTypeOf<"openai-completions">()
})

test("a model may be passed where any model goes", () => {
  expectTypeOf(getModel("openai", "gpt-6-luna")).toExtend<Model>()
})

test("names that are not in the catalogue do not compile", () => {
  // @ts-expect-error no such model
  expectTypeOf(getModel).toBeCallableWith("anthropic", "claude-1")
  // @ts-expect-error another provider's model
  expectTypeOf(getModel).toBeCallableWith("openai", "claude-opus-5-5")
  // @ts-expect-error no such provider
  expectTypeOf(getModel).toBeCallableWith("nobody", "claude-opus-5-5")
  // @ts-expect-error any string at all
  expectTypeOf(getModel).toBeCallableWith("anthropic", "claude-opus-5-5" as string)
})

test("a model by any names may be undefined", () => {
  expectTypeOf(findModel("a", "b")).toEqualTypeOf<CatalogueModel | undefined>()
})

test("lists are of what they list", () => {
  expectTypeOf(getModels()).toEqualTypeOf<CatalogueModel[]>()
  expectTypeOf(getModels("anthropic")[0]!.id).toEqualTypeOf<keyof typeof anthropic>()
  expectTypeOf(getProviders()[0]!).toExtend<string>()
  expectTypeOf<"claude-opus-5-5">().toExtend<ModelId<"anthropic">>()
  expectTypeOf<"gpt-6-luna">().not.toExtend<ModelId<"anthropic">>()
  expectTypeOf<"gpt-6-luna">().toExtend<ModelId>()
})

test("data cannot be written", () => {
  // @ts-expect-error readonly
  anthropic["claude-opus-5-5"].cost.input = 0
})
