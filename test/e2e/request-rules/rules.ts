/** What the rules of a wire consist of, and the shapes that several of them share. */
import { type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import type { CallRules, Step } from "./steps.ts"

/** Whose turns are in a conversation: the model's own, or another's. */
export type History = "own" | "foreign"

/** The rules of one wire. */
export interface BodyRules {
  readonly schema: Readonly<Record<History, TypeCheck<TSchema>>>
  readonly calls: CallRules
  /** @param body Fits the schema. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON that was looked at already
  read(body: any): Step[]
  // biome-ignore lint/suspicious/noExplicitAny: JSON that was looked at already
  more?(body: any): string[]
}

/** An object without other fields. */
export function only<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: false })
}

/** Text that is not blank: most vendors refuse it, and none misses it. */
export const prose: TSchema = Type.String({ pattern: "\\S" })

export const jsonObject: TSchema = Type.Record(Type.String(), Type.Unknown())

/** What a tool takes. */
export const toolSchema: TSchema = Type.Object({ type: Type.Literal("object") })

export const base64: TSchema = Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$" })

/** @param shape Makes the schema of a body; `own` adds what only the model that made it takes back. */
export function bodies(shape: (own: boolean) => TSchema): BodyRules["schema"] {
  return { own: TypeCompiler.Compile(shape(true)), foreign: TypeCompiler.Compile(shape(false)) }
}
