import {
  callTool,
  cut,
  type FauxOptions,
  fail,
  faux,
  fauxModel,
  hang,
  opaque,
  type ReplyPart,
  say,
  stop,
  think,
  usage,
} from "@heddle/faux"
import type { StreamFn } from "@heddle/types"
import type { Capabilities, Harness, Scenario, Step } from "../src/index.ts"

/** What a script can say. */
export const FAUX_CAPABILITIES: Capabilities = {
  thinking: true,
  signatures: true,
  redactedThinking: true,
  toolCalls: true,
  parallelToolCalls: true,
  argumentsAsText: true,
  opaque: true,
  usage: true,
  usageOnError: true,
  contentFilter: true,
  inStreamErrors: true,
}

/** The scripted provider, or something around it. */
export function fauxHarness(
  options: FauxOptions = {},
  wrap: (streamFn: StreamFn, scenario: Scenario) => StreamFn = (streamFn) => streamFn,
): Harness {
  return {
    capabilities: FAUX_CAPABILITIES,
    connect: (scenario) => ({
      streamFn: wrap(faux([toReply(scenario), toReply(scenario)], options), scenario),
      model: fauxModel(),
    }),
  }
}

/** @returns the only reply of a scenario that needs no wire, in the words of a script. */
export function toReply({ replies: [reply] }: Scenario): ReplyPart[] {
  if (reply.type === "stall") return [hang()]
  if (reply.type !== "stream") throw new Error(`A script has no words for a reply of type ${reply.type}`)
  const ending = reply.steps.some(({ type }) => type === "stop")
  return [
    ...reply.steps.filter(isNotLast).flatMap(toParts),
    ...reply.steps.filter(isLast).flatMap(toParts),
    ...(ending ? [] : [cut()]),
  ]
}

/** A script reports usage before it stops. */
const isLast = (step: Step) => step.type === "stop"
const isNotLast = (step: Step) => !isLast(step)

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
