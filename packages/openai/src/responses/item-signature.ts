/**
 * What of an output item has no place in a message but must go back with it, as the JSON of a signature.
 *
 * Written when a response is read, and read when it is sent again: to the same model only, so the two sides
 * agree. Ids of items are left out, because nothing is stored that they could be looked up in.
 */
import { isWireObject, type WireObject } from "@heddle/provider-kit"

/** @returns for the text of a message: its phase and its citations; undefined where it has neither. */
export function textSignature(phase: string, annotations: readonly unknown[]): string | undefined {
  if (phase === "" && annotations.length === 0) return undefined
  return JSON.stringify({
    ...(phase !== "" && { phase }),
    ...(annotations.length > 0 && { annotations }),
  })
}

/** @returns for a call: what is not in its arguments; undefined for a plain function call. */
export function callSignature({ type, namespace, caller }: WireObject): string | undefined {
  const kept = {
    ...(type === "custom_tool_call" && { type }),
    ...(typeof namespace === "string" && { namespace }),
    ...(isWireObject(caller) && { caller }),
  }
  return Object.keys(kept).length > 0 ? JSON.stringify(kept) : undefined
}
