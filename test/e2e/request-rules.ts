/**
 * What a vendor would refuse in the body of a request, as far as its documentation and its error texts say.
 *
 * Written from these alone and sharing nothing with the adapters, so that the two can be held against each other.
 * Each wire has a schema of its bodies (`request-rules/<wire>.ts`) and a reading of them as steps; what holds for
 * calls and results holds for the steps of all of them.
 */
import type { Model } from "@heddle/types"
import { anthropicRules } from "./request-rules/anthropic.ts"
import { bedrockRules } from "./request-rules/bedrock.ts"
import { chatRules } from "./request-rules/chat.ts"
import { geminiRules } from "./request-rules/gemini.ts"
import { responsesRules } from "./request-rules/responses.ts"
import type { BodyRules, History } from "./request-rules/rules.ts"
import { stepViolations } from "./request-rules/steps.ts"

const RULES: Readonly<Record<string, (model: Model) => BodyRules>> = {
  "anthropic-messages": () => anthropicRules,
  "openai-completions": ({ provider }) => chatRules(provider),
  "openai-responses": () => responsesRules,
  "google-generative-ai": ({ id }) => geminiRules(id),
  "bedrock-converse-stream": () => bedrockRules,
}

/**
 * @param history Whose the model's turns in the conversation are: of a foreign one nothing may be left that is
 * for its author only.
 * @returns one text per violation; none for a body that would be taken.
 */
export function violationsOf(model: Model, body: unknown, history: History): string[] {
  const rules = RULES[model.api]?.(model)
  if (!rules) throw new Error(`Nothing is known about bodies of ${model.api}.`)
  const shape = rules.schema[history]
  if (!shape.Check(body)) return [...shape.Errors(body)].slice(0, 5).map(describe)
  const isWellFormed = !/(?<!\\)(\\\\)*\\ud[89a-f]/i.test(JSON.stringify(body))
  return [
    ...(isWellFormed ? [] : ["the body holds half of a surrogate pair"]),
    ...stepViolations(rules.read(body), rules.calls),
    ...(rules.more?.(body) ?? []),
  ]
}

function describe({ path, message, value }: { path: string; message: string; value: unknown }): string {
  return `${path}: ${message}: ${JSON.stringify(value)?.slice(0, 200)}`
}
