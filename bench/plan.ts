/**
 * What is measured, against whom, and what may come out: the budgets of docs/performance.md.
 *
 * The scenarios themselves are the shared ones; see README.md. A budget is a ratio to another contestant in the
 * same rounds wherever it can be: milliseconds say as much about a machine as about a program.
 */

/** Parameters of a scenario's one cell. */
export type Parameters = Readonly<Record<string, number | string>>

export interface Cell {
  readonly parameters: Parameters
  /** Which of a contestant's ways to do it; the others are left out. Default: all of them. */
  readonly modes?: readonly string[]
  /** Contestants that would not end in time, or cannot do it at all. */
  readonly without?: readonly string[]
}

export interface Scenario {
  readonly title: string
  /** What one number in its table means. */
  readonly meaning: string
  readonly cells: readonly Cell[]
  readonly contestants: readonly string[]
  /** Reads from a server of the bench, over loopback. */
  readonly wire?: boolean
  /** Of one process. */
  readonly timeoutS: number
  /** Most repetitions in one process, and the time after which no other one begins. */
  readonly repetitions?: number
  /** What a number is divided by: the parameter that counts the work. */
  readonly per?: string
  /** What must come out, so that lost work is an error and no speed. */
  expect(parameters: Parameters, argumentsOf: (bytes: number) => string): Expectation
}

export interface Expectation {
  /** Characters of text that were seen. */
  readonly chars?: number
  /** Characters of the arguments' JSON; or, where a contestant shows none, of what the longest argument holds. */
  readonly args?: number
  readonly seen?: number
  /** How often tools ran. Default 0. */
  readonly tools?: number
}

export const OURS = "heddle"
export const PEERS = ["pi073", "pi16", "ai", "oai", "lc", "mastra"] as const
/** No packages: the bare minimum, the contract and nothing else, and the vendors' own SDKs. */
const YARDSTICKS = ["floor", "target"] as const

const EVERYONE = [...YARDSTICKS, OURS, ...PEERS]
/** Their parser starts over with every piece: 1 MB takes minutes. */
const QUADRATIC = ["pi073"]

function argumentCells(): Cell[] {
  return [{ bytes: 10_000 }, { bytes: 100_000 }, { bytes: 1_000_000 }].map((parameters) => ({
    parameters,
    ...(parameters.bytes === 1_000_000 && { without: QUADRATIC }),
  }))
}

const FOUR_CHARACTERS = 4

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  s1: {
    title: "Text deltas",
    meaning:
      "CPU µs per delta of four characters. `loop` reads the loop's events, `agent` listens to the stateful class, in `burst` the model delivers everything at once",
    cells: [
      { parameters: { deltas: 1000 }, modes: ["loop"] },
      { parameters: { deltas: 10_000 } },
      { parameters: { deltas: 50_000 }, modes: ["loop", "burst"] },
    ],
    contestants: EVERYONE,
    timeoutS: 120,
    per: "deltas",
    expect: ({ deltas }) => ({ chars: FOUR_CHARACTERS * Number(deltas) }),
  },
  s2: {
    title: "Tool arguments, in process",
    meaning: "CPU µs per KB of arguments that come 20 characters at a time and are visible after each",
    cells: argumentCells(),
    contestants: EVERYONE,
    timeoutS: 150,
    per: "bytes",
    expect: ({ bytes }, argumentsOf) => ({
      args: argumentsOf(Number(bytes)).length,
      seen: JSON.parse(argumentsOf(Number(bytes))).content.length,
      tools: 1,
    }),
  },
  s2w: {
    title: "Tool arguments over Anthropic's wire",
    meaning: "CPU µs per KB of arguments, from the response's bytes to the events of the adapter",
    cells: argumentCells(),
    contestants: ["floor", "raw", OURS, "pi073", "pi16", "ai"],
    wire: true,
    timeoutS: 150,
    per: "bytes",
    expect: ({ bytes }, argumentsOf) => ({ args: argumentsOf(Number(bytes)).length }),
  },
  s3: {
    title: "Many turns",
    meaning: "CPU µs per turn of one word and one tool call, in one run",
    cells: [{ turns: 50 }, { turns: 200 }, { turns: 1000 }].map((parameters) => ({ parameters })),
    contestants: EVERYONE,
    timeoutS: 150,
    per: "turns",
    expect: ({ turns }) => ({ chars: 5 * (Number(turns) + 1), tools: Number(turns) }),
  },
  s4: {
    title: "Parallel tools",
    meaning: "CPU µs per call of one message; each tool takes 5 ms",
    cells: [{ parameters: { calls: 200 }, modes: ["loop"] }],
    contestants: EVERYONE,
    timeoutS: 60,
    per: "calls",
    expect: ({ calls }) => ({ tools: Number(calls) }),
  },
  s5: {
    title: "From the wire to events",
    meaning:
      "CPU µs per delta. `provider` is the adapter alone, `agent` has the loop around it, `hand` is `fetch`, a search for line ends and `JSON.parse`",
    cells: ["anthropic", "openai", "gemini"].map((format) => ({
      parameters: { format, deltas: 5000 },
      without: [...(format === "openai" ? [] : ["oai"]), ...(format === "anthropic" ? [] : ["lc"])],
    })),
    contestants: ["floor", "raw", OURS, "pi073", "pi16", "ai", "oai", "lc"],
    wire: true,
    timeoutS: 120,
    per: "deltas",
    expect: ({ deltas }) => ({ chars: FOUR_CHARACTERS * Number(deltas) }),
  },
  s8: {
    title: "500 agents at once",
    meaning: "CPU µs per delta of 500 runs side by side, each of three turns, 600 deltas and two tool calls",
    cells: [{ parameters: { agents: 500, deltas: 200 }, modes: ["loop"] }],
    contestants: EVERYONE,
    timeoutS: 240,
    repetitions: 2,
    expect: ({ agents, deltas }) => ({
      chars: 3 * FOUR_CHARACTERS * Number(agents) * Number(deltas),
      tools: 2 * Number(agents),
    }),
  },
  s9: {
    title: "Proxy client",
    meaning: "CPU µs per delta that comes over the proxy's wire",
    cells: [{ parameters: { deltas: 10_000 }, modes: ["loop"] }],
    contestants: [...YARDSTICKS, OURS, "pi073", "pi16", "ai"],
    wire: true,
    timeoutS: 120,
    per: "deltas",
    expect: ({ deltas }) => ({ chars: FOUR_CHARACTERS * Number(deltas) }),
  },
}

/** How much work is in a cell: what CPU time is divided by. */
export function workOf(scenario: string, parameters: Parameters): number {
  if (scenario === "s8") return 3 * Number(parameters.agents) * Number(parameters.deltas)
  const work = Number(parameters[SCENARIOS[scenario]?.per ?? ""])
  return parameters.bytes === undefined ? work : work / 1000
}
