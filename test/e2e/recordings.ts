/**
 * Recorded bodies of all wires, read by the adapters as they come out of a network.
 *
 * They live beside the project, not in it: at `../shared/fixtures` from its root, or at `HEDDLE_FIXTURES`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { anthropicMessages } from "@heddle/anthropic"
import { bedrockConverse } from "@heddle/bedrock"
import { googleGenerativeAi } from "@heddle/google"
import { openaiCompletions, openaiResponses } from "@heddle/openai"
import type { AssistantMessage, Model, ModelCost, StreamFn } from "@heddle/types"

const FOLDER = process.env.HEDDLE_FIXTURES ?? resolve(import.meta.dirname, "../../../shared/fixtures")

export const HAS_RECORDINGS: boolean = existsSync(FOLDER)

/** Part of a test's name: says why it was skipped. */
export const WHERE: string = HAS_RECORDINGS
  ? "recorded bodies"
  : "recorded bodies (skipped: set HEDDLE_FIXTURES to their folder)"

/** One recorded stream. */
export interface Recording {
  /** Folder and file. */
  readonly name: string
  readonly wire: RecordedWire
  readonly provider: string
  readonly bytes: Uint8Array
}

export interface RecordedWire {
  readonly api: string
  /** The end of the names of its folders; what stands before it is the provider. */
  readonly folder: string
  readonly file: ".sse" | ".bin"
  readonly contentType: string
  readonly streamFn: StreamFn
}

const sse = { file: ".sse", contentType: "text/event-stream" } as const

export const RECORDED_WIRES: readonly RecordedWire[] = [
  { api: "anthropic-messages", folder: "-messages", streamFn: anthropicMessages(), ...sse },
  { api: "openai-completions", folder: "-chat", streamFn: openaiCompletions(), ...sse },
  { api: "openai-responses", folder: "-responses", streamFn: openaiResponses(), ...sse },
  { api: "google-generative-ai", folder: "-generatecontent", streamFn: googleGenerativeAi(), ...sse },
  {
    api: "bedrock-converse-stream",
    folder: "-converse",
    file: ".bin",
    contentType: "application/vnd.amazon.eventstream",
    streamFn: bedrockConverse({ region: "us-east-1" }),
  },
]

/** Folders whose name is not the provider's. */
const PROVIDERS: Readonly<Record<string, string>> = { bedrock: "amazon-bedrock", vertex: "google-vertex" }

/** Prices that cannot be taken for one another. US dollars per million tokens. */
export const PRICES: ModelCost = { input: 3, output: 17, cacheRead: 0.29, cacheWrite: 4.1 }

/** @returns the recordings of one wire, in the order of their names. */
export function recordingsOf(wire: RecordedWire): Recording[] {
  if (!HAS_RECORDINGS) return []
  return readdirSync(FOLDER)
    .filter((folder) => folder.endsWith(wire.folder))
    .flatMap((folder) => {
      const vendor = folder.slice(0, -wire.folder.length)
      return readdirSync(join(FOLDER, folder))
        .filter((file) => file.endsWith(wire.file))
        .map((file) => ({
          name: `${folder}/${file}`,
          wire,
          provider: PROVIDERS[vendor] ?? vendor,
          bytes: readFileSync(join(FOLDER, folder, file)),
        }))
    })
}

/** @returns what the adapter makes of a recording. */
export async function readRecording({ wire, provider, bytes }: Recording): Promise<AssistantMessage> {
  const headers = { "content-type": wire.contentType }
  const stream = await wire.streamFn(
    modelOf(wire.api, provider),
    { messages: [{ role: "user", content: "Hi", timestamp: 0 }] },
    {
      apiKey: "sk-recorded",
      maxRetries: 0,
      fetch: async () => new Response(new Uint8Array(bytes), { headers }),
    },
  )
  return stream.result()
}

function modelOf(api: string, provider: string): Model {
  return {
    id: "recorded-model",
    name: "Recorded",
    api,
    provider,
    baseUrl: "http://localhost/v1",
    reasoning: true,
    input: ["text", "image"],
    cost: PRICES,
    contextWindow: 1_000_000,
    maxTokens: 64_000,
  }
}
