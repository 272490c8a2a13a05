import { toJsonSchema } from "@heddle/stream"
import type { Tool } from "@heddle/types"

/**
 * OpenAI refuses a schema that does not say that it is an object's, and an object's without `properties`; a tool
 * without parameters is often written as either.
 *
 * @throws where the schema cannot be stated as JSON Schema.
 */
export function toParameters(parameters: Tool["parameters"]): object {
  return { type: "object", properties: {}, ...toJsonSchema(parameters) }
}
