/** How the kit reaches a StreamFn: the one thing that whoever tests one has to write. */
import type { Model, SimpleStreamOptions, StreamFn } from "@heddle/types"
import type { Capabilities } from "./conformance-case.ts"
import type { Scenario } from "./scenario.ts"

/** A StreamFn, connected to something that plays a scenario. */
export interface Connection {
  /** Default: the StreamFn that the runner was given. */
  readonly streamFn?: StreamFn
  /** Default: a model of the api `conformance`. */
  readonly model?: Model
  /** Passed with every call, for example a key. */
  readonly options?: SimpleStreamOptions
  /** Must not stand in any message. Default: the key of {@link options}. */
  readonly secrets?: readonly string[]
  /** The requests that reached the other side. Absent: cases about requests look at nothing. */
  readonly requests?: () => readonly ReceivedRequest[]
  /** Called when the case is over, also when it failed. */
  readonly close?: () => void | Promise<void>
}

/** A request as the other side saw it. */
export interface ReceivedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The client hung up before the response was complete. */
  readonly hungUp: boolean
}

/** Connects a StreamFn to a scenario. One connection serves one case. */
export type Connect = (scenario: Scenario) => StreamFn | Connection | Promise<StreamFn | Connection>

/** What the suite runs on. */
export interface Harness {
  readonly connect: Connect
  /** Cases that need others are skipped. */
  readonly capabilities?: Capabilities
}

/** The model of connections that name none. */
export const CONFORMANCE_MODEL: Model = {
  id: "conformance-1",
  name: "Conformance",
  api: "conformance",
  provider: "conformance",
  baseUrl: "",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  contextWindow: 200_000,
  maxTokens: 8_192,
}
