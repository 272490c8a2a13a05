import type { StreamFn } from "@heddle/types"
import {
  type Capabilities,
  CONFORMANCE_MODEL,
  type Harness,
  playScenario,
  type ReceivedRequest,
} from "../src/index.ts"

/** What can be played without a wire. */
export const IN_PROCESS: Capabilities = {
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

/** The StreamFn that plays scenarios in this process, or something around it. */
export function inProcess(wrap: (streamFn: StreamFn) => StreamFn = (streamFn) => streamFn): Harness {
  return {
    capabilities: IN_PROCESS,
    connect: (scenario) => {
      const requests: ReceivedRequest[] = []
      const onRequest = () => {
        requests.push({ method: "POST", path: "/", headers: {}, body: "", hungUp: false })
      }
      return {
        streamFn: wrap(playScenario(scenario, { onRequest })),
        model: CONFORMANCE_MODEL,
        options: { apiKey: "sk-secret" },
        requests: () => requests,
      }
    },
  }
}
