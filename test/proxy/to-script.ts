/** The scenarios of the conformance suite in the words of a script: the replies that need no wire. */

import type { Scenario, Step } from "@heddle/conformance"
import { callTool, cut, fail, hang, opaque, type ReplyPart, say, stop, think, usage } from "@heddle/faux"

export function toScript({ replies: [reply] }: Scenario): ReplyPart[] {
  if (reply.type === "stall") return [hang()]
  if (reply.type !== "stream") throw new Error(`A script has no words for a reply of type ${reply.type}`)
  // A script reports usage before it stops.
  const [stops, rest] = [reply.steps.filter(isStop), reply.steps.filter((step) => !isStop(step))]
  return [...rest, ...stops].flatMap(toParts).concat(stops.length > 0 ? [] : [cut()])
}

const isStop = (step: Step): boolean => step.type === "stop"

function toParts(step: Step): ReplyPart[] {
  switch (step.type) {
    case "say":
      return [say(step.text)]
    case "think":
      return [think(step.text, { signature: step.signature, redacted: step.redacted })]
    case "callTools":
      return step.calls.map(({ id, name, arguments: args }) => callTool(name, args, { id }))
    case "opaque":
      return [opaque("server_tool", { done: true })]
    case "usage":
      return [usage(step.usage)]
    case "stop":
      return [step.reason === "filter" ? fail({ code: "content_filter" }) : stop(step.reason)]
    case "overloaded":
      return [fail({ code: "overloaded" })]
    case "stall":
      return [hang()]
    case "cut":
      return [cut()]
    case "unknownEvent":
    case "garbage":
      return []
  }
}
