/**
 * A catalogue of current models: what they cost, hold and take, each entry with its source and date.
 *
 * @packageDocumentation
 */
export { calculateCost } from "@heddle/stream"
export {
  type Catalogue,
  type CatalogueProvider,
  findModel,
  getModel,
  getModels,
  getProviders,
  type ModelId,
} from "./catalogue.ts"
export type { CatalogueModel, Provenance, ProviderModels } from "./catalogue-model.ts"
export { defineModel, type ModelDefinition } from "./define-model.ts"
export { InvalidModelError, UnknownModelError } from "./errors.ts"
export { anthropic } from "./providers/anthropic.ts"
export { deepseek } from "./providers/deepseek.ts"
export { google } from "./providers/google.ts"
export { groq } from "./providers/groq.ts"
export { mistral } from "./providers/mistral.ts"
export { moonshotai } from "./providers/moonshotai.ts"
export { openai } from "./providers/openai.ts"
export { openrouter } from "./providers/openrouter.ts"
export { together } from "./providers/together.ts"
export { xai } from "./providers/xai.ts"
export { zai } from "./providers/zai.ts"
