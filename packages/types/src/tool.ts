/** A JSON Schema document (draft 2020-12 and what is compatible with it), or a TypeBox schema, which is one. */
export type JsonSchema = object

/**
 * The part of Standard Schema that tools use: validation, and the JSON Schema the model is shown.
 *
 * zod 4 and arktype schemas have both; valibot ones get the second through `toStandardJsonSchema` of
 * `@valibot/to-json-schema`.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> }
      | undefined
  }
}

/** What a Standard Schema says of a value: the (possibly transformed) value, or why it does not fit. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One reason why a value does not fit. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What may describe the arguments of a tool. */
export type ToolParameters = JsonSchema | StandardSchema

/**
 * The type of the arguments that a schema describes.
 *
 * TypeBox schemas tell it by their `static` member, Standard Schemas by their output; a plain JSON Schema
 * tells nothing, so its arguments are a record of unknowns.
 */
export type ToolArguments<TParameters> = TParameters extends { readonly static: infer TStatic }
  ? TStatic
  : TParameters extends { readonly "~standard": { readonly types?: infer TTypes } }
    ? NonNullable<TTypes> extends { readonly output: infer TOutput }
      ? TOutput
      : Record<string, unknown>
    : Record<string, unknown>

/** What a model is told about a tool. */
export interface Tool<TParameters extends ToolParameters = ToolParameters> {
  readonly name: string
  /** Written for the model: what the tool does and when to use it. */
  readonly description: string
  readonly parameters: TParameters
}

/** Whether, and which, tools the model may or must call. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string }
