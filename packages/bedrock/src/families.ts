/**
 * What is known about the families of models on Bedrock.
 *
 * Sources are AWS's pages, named on each row, and the error texts that the service answers with where it does
 * not take something. What neither says is left as in the defaults. What the fields mean is in `compat.ts`.
 */
import type { ResolvedCompat } from "./compat.ts"

/** A model of which nothing is known but that Converse serves it. */
export const DEFAULTS: ResolvedCompat = {
  baseModel: "",
  cachePoints: [],
  supportsLongCacheRetention: false,
  supportsTemperature: true,
  toolChoices: [],
  supportsToolResultStatus: false,
  supportsToolResultImages: false,
  thinkingFormat: "none",
  reasoningLevels: ["low", "medium", "high"],
  thinkingOff: null,
  thinkingDisplay: null,
  unsignedThinking: "drop",
  additionalModelRequestFields: {},
}

/** One family, or a part of one. */
export interface FamilyRow {
  /** Found in the model's id in lower case, behind a region (`us.`) or the path of an ARN. */
  readonly ids: RegExp
  readonly compat: Partial<ResolvedCompat>
}

/**
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultBlock.html
 */
const CLAUDE: Partial<ResolvedCompat> = {
  cachePoints: ["tools", "system", "messages"],
  supportsLongCacheRetention: true,
  toolChoices: ["auto", "any", "tool"],
  supportsToolResultStatus: true,
  supportsToolResultImages: true,
  thinkingFormat: "budget",
  reasoningLevels: ["minimal", "low", "medium", "high"],
}

/** From Claude 4.7 on: an effort in place of a budget, no sampling parameters, and thinking that is not shown. */
const ADAPTIVE: Partial<ResolvedCompat> = {
  thinkingFormat: "adaptive",
  reasoningLevels: ["low", "medium", "high", "xhigh", "max"],
  thinkingDisplay: "summarized",
  supportsTemperature: false,
}

/**
 * All rows that fit count; of two that say something about one field, the later.
 *
 * What Claude's generations take is the same wherever they are served.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html
 * @see https://platform.claude.com/docs/en/build-with-claude/effort
 */
export const FAMILIES: readonly FamilyRow[] = [
  { ids: /\bclaude-/, compat: CLAUDE },
  // Before 4.5 nothing is kept for an hour: "Extra inputs are not permitted".
  {
    ids: /\bclaude-(v\d|instant|[1-3]|(opus|sonnet)-4-(1\b|2\d{7}))/,
    compat: { supportsLongCacheRetention: false },
  },
  { ids: /\bclaude-(v\d|instant|3-(haiku|sonnet|opus|5-sonnet))/, compat: { cachePoints: [] } },
  { ids: /\bclaude-(v\d|instant)/, compat: { toolChoices: [], thinkingFormat: "none" } },
  {
    ids: /\bclaude-(opus|sonnet)-4[-.]6\b/,
    compat: { thinkingFormat: "adaptive", reasoningLevels: ["low", "medium", "high", "max"] },
  },
  { ids: /\bclaude-opus-4[-.][78]\b/, compat: ADAPTIVE },
  { ids: /\bclaude-(mythos|[a-z]+-([5-9]|\d{2})\b)/, compat: ADAPTIVE },
  // These think unless told not to; their successors cannot be told.
  {
    ids: /\bclaude-((opus|sonnet)-5\b(?![-.]\d\b)|haiku-5[-.]5\b)/,
    compat: { thinkingOff: "disabled" },
  },
  { ids: /\bclaude-sonnet-5[-.]5\b/, compat: { thinkingOff: "between_tools" } },
  /**
   * Refuses its own reasoning: "User messages cannot contain reasoning content".
   *
   * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
   * @see https://docs.aws.amazon.com/nova/latest/userguide/tool-choice.html
   */
  {
    ids: /\bamazon\.nova-/,
    compat: {
      cachePoints: ["system", "messages"],
      toolChoices: ["auto", "any", "tool"],
      supportsToolResultStatus: true,
      supportsToolResultImages: true,
    },
  },
  /** @see https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html */
  { ids: /\bamazon\.nova-2-/, compat: { thinkingFormat: "nova" } },
  /**
   * Thinks in encrypted pieces, which go back as they came.
   *
   * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
   */
  {
    ids: /\bopenai\.gpt-\d/,
    compat: {
      thinkingFormat: "openai",
      reasoningLevels: ["low", "medium", "high", "xhigh", "max"],
      thinkingOff: "none",
    },
  },
  /**
   * Takes its reasoning back, and refuses a signature on it.
   *
   * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
   */
  { ids: /\bopenai\.gpt-oss-/, compat: { thinkingFormat: "reasoning_effort", unsignedThinking: "send" } },
  { ids: /\bmoonshot(ai)?\.kimi-k2/, compat: { thinkingFormat: "reasoning_effort" } },
  { ids: /\bminimax\.minimax-/, compat: { unsignedThinking: "send" } },
  /** @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-deepseek.html */
  {
    ids: /\bdeepseek\.v3/,
    compat: { toolChoices: ["auto", "any"], thinkingFormat: "reasoning_effort", reasoningLevels: ["high"] },
  },
  /** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html */
  { ids: /\bmistral\.(mistral|pixtral)-large/, compat: { toolChoices: ["auto", "any"] } },
  { ids: /\bmeta\.llama(3-[13]-|4-)/, compat: { toolChoices: ["auto"] } },
]
