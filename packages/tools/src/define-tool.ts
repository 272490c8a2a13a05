import type { AgentTool, ToolParameters } from "@heddle/types"

/**
 * Gives a tool back as it is, with the types of `args` and `details` inferred.
 *
 * The type of `args` follows from `parameters`: a TypeBox schema, a Standard Schema (zod 4, arktype, valibot
 * through `toStandardJsonSchema`), else a record of unknowns. The type of `details` follows from what
 * `execute` returns.
 */
export function defineTool<const TParameters extends ToolParameters, TDetails = unknown>(
  tool: AgentTool<TParameters, TDetails>,
): AgentTool<TParameters, TDetails> {
  return tool
}
