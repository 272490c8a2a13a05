import type { StreamFn } from "@heddle/types"
import { AssistantMessageBuilder } from "./assistant-message-builder.ts"

/**
 * A StreamFn that hands each request to the one that speaks its `model.api`.
 *
 * An api that is no own key of the table is an `error` event, like every other failure of a StreamFn: code
 * `invalid_request`, with a message that names the known ones. The table is read at each request.
 */
export function routeByApi(table: Readonly<Record<string, StreamFn>>): StreamFn {
  return (model, context, options) => {
    const streamFn = Object.hasOwn(table, model.api) ? table[model.api] : undefined
    if (streamFn) return streamFn(model, context, options)

    const builder = new AssistantMessageBuilder(model)
    builder.fail({ code: "invalid_request", retryable: false }, unknownApi(model.api, table))
    return builder.stream
  }
}

function unknownApi(api: string, table: Readonly<Record<string, StreamFn>>): string {
  const known = Object.keys(table).filter((key) => table[key])
  const choice = known.length > 0 ? `Known apis: ${known.sort().join(", ")}` : "No api is known"
  return `No StreamFn for the api "${api}" of the model. ${choice}.`
}
