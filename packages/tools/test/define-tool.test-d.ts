import type { AgentTool, AgentToolResult } from "@heddle/types"
import { Type } from "@sinclair/typebox"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import * as v from "valibot"
import { describe, expectTypeOf, test } from "vitest"
import { z } from "zod"
import { defineTool, errorResult, runToolCalls, textResult } from "../src/index.ts"

const names = { name: "t", label: "T", description: "" }

describe("defineTool infers the type of args", () => {
  test("from TypeBox", () => {
    defineTool({
      ...names,
      parameters: Type.Object({ path: Type.String(), lines: Type.Optional(Type.Array(Type.Number())) }),
      execute(id, args, signal) {
        expectTypeOf(id).toEqualTypeOf<string>()
        expectTypeOf(args).toEqualTypeOf<{ path: string; lines?: number[] }>()
        expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>()
        return textResult(args.path)
      },
    })
  })

  test("from zod, after its transformations", () => {
    defineTool({
      ...names,
      parameters: z.object({
        path: z.string(),
        size: z.string().transform(Number),
        n: z.number().default(1),
      }),
      execute: async (_id, args) => {
        expectTypeOf(args).toEqualTypeOf<{ path: string; size: number; n: number }>()
        return textResult(args.path)
      },
    })
  })

  test("from valibot", () => {
    defineTool({
      ...names,
      parameters: toStandardJsonSchema(v.object({ path: v.string(), n: v.optional(v.number()) })),
      execute: (_id, args) => {
        expectTypeOf(args).toEqualTypeOf<{ path: string; n?: number | undefined }>()
        return textResult(args.path)
      },
    })
  })

  test("from arktype", () => {
    defineTool({
      ...names,
      parameters: type({ path: "string", "n?": "number" }),
      execute: (_id, args) => {
        expectTypeOf(args).toEqualTypeOf<{ path: string; n?: number }>()
        return textResult(args.path)
      },
    })
  })

  test("not from plain JSON Schema, whose args are a record of unknowns", () => {
    defineTool({
      ...names,
      parameters: { type: "object", properties: { path: { type: "string" } } },
      execute: (_id, args) => {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>()
        return textResult(String(args.path))
      },
    })
  })
})

describe("defineTool infers the type of details", () => {
  test("from what execute returns", () => {
    const counting = defineTool({
      ...names,
      parameters: Type.Object({}),
      execute: async () => textResult("done", { count: 1 }),
    })
    expectTypeOf<Awaited<ReturnType<typeof counting.execute>>>().toEqualTypeOf<
      AgentToolResult<{ count: number }>
    >()
  })

  test("from results of several kinds", () => {
    const tool = defineTool({
      ...names,
      parameters: Type.Object({ ok: Type.Boolean() }),
      execute: (_id, { ok }) => (ok ? textResult("done", { count: 1 }) : errorResult("not done")),
    })
    expectTypeOf<Awaited<ReturnType<typeof tool.execute>>>().toEqualTypeOf<
      AgentToolResult<{ count: number }>
    >()
  })
})

describe("tools of any schema", () => {
  const read = defineTool({
    ...names,
    parameters: Type.Object({ path: Type.String() }),
    execute: (_id, { path }) => textResult(path, { path }),
  })
  const write = defineTool({
    ...names,
    parameters: z.object({ text: z.string() }),
    execute: (_id, { text }, _signal, onUpdate) => {
      onUpdate?.(textResult(text))
      return textResult(text)
    },
  })
  const plain = defineTool({ ...names, parameters: { type: "object" }, execute: () => textResult("") })

  test("go into one list", () => {
    const tools: AgentTool[] = [read, write, plain]
    expectTypeOf(tools).toEqualTypeOf<AgentTool[]>()
    expectTypeOf(runToolCalls)
      .parameter(1)
      .toHaveProperty("tools")
      .toEqualTypeOf<readonly AgentTool[] | undefined>()
  })

  test("refuse a result that is none", () => {
    defineTool({
      ...names,
      parameters: Type.Object({}),
      // @ts-expect-error a string is no result
      execute: () => "done",
    })
  })
})

test("textResult and errorResult have the details they are given", () => {
  expectTypeOf(textResult("a")).toEqualTypeOf<AgentToolResult<undefined>>()
  expectTypeOf(textResult("a", { n: 1 })).toEqualTypeOf<AgentToolResult<{ n: number }>>()
  expectTypeOf(errorResult("a", 1)).toEqualTypeOf<AgentToolResult<number>>()
})
