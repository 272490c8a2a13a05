import { describe, expectTypeOf, test } from "vitest"
import type { AgentMessage, Api, Message, Model } from "../src/index.ts"

interface Reminder {
  readonly role: "typeTestReminder"
  readonly at: number
}

declare module "../src/index.ts" {
  interface CustomAgentMessages {
    typeTestReminder: Reminder
  }
  interface ModelCompat {
    "type-test-api": { readonly shouting: boolean }
  }
}

describe("CustomAgentMessages", () => {
  test("adds an application's messages to AgentMessage, and not to Message", () => {
    expectTypeOf<Extract<AgentMessage, { role: "typeTestReminder" }>>().toEqualTypeOf<Reminder>()
    expectTypeOf<Extract<Message, { role: "typeTestReminder" }>>().toBeNever()
  })

  test("narrows on the role", () => {
    const read = (message: AgentMessage) => {
      if (message.role === "typeTestReminder") expectTypeOf(message.at).toEqualTypeOf<number>()
    }
    void read
  })
})

describe("Model", () => {
  test("types compat by its api", () => {
    expectTypeOf<NonNullable<Model<"type-test-api">["compat"]>>().toEqualTypeOf<{
      readonly shouting: boolean
    }>()
  })

  test("of one api is a Model", () => {
    expectTypeOf<Model<"type-test-api">>().toExtend<Model>()
    expectTypeOf<Model<"anthropic-messages">>().toExtend<Model>()
  })

  test("takes any string as api, and completes the known ones", () => {
    expectTypeOf<"something-new">().toExtend<Api>()
    expectTypeOf<"openai-responses">().toExtend<Api>()
  })
})
