/** The adapter under test: Acme's wire has text, tool calls that come whole, and a last event. */
import {
  type AdapterConfig,
  type AdapterStreamFn,
  defineAdapter,
  protocolError,
  readSse,
} from "@heddle/provider-kit"

export function acme(config: AdapterConfig = {}): AdapterStreamFn {
  return defineAdapter(
    {
      envKeys: () => ["ACME_API_KEY"],
      load: async () => undefined, // Acme has no SDK
      toRequest: (model, { systemPrompt, messages, tools }) => ({
        model: model.id,
        systemPrompt,
        messages,
        tools,
      }),
      send: async (call) => {
        const response = await call.fetch(`${call.baseUrl}/chat`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${call.apiKey}` },
          body: JSON.stringify(call.payload),
          signal: call.signal,
        })
        if (response.ok) return response
        const { status, headers } = response
        throw Object.assign(new Error("Refused"), { status, headers, body: await response.text() })
      },
      receive: async (response, message, { signal }) => {
        let blocks = 0
        const onEvent = ({ text, call, end, error }: Readonly<Record<string, unknown>>) => {
          if (typeof text === "string") message.text("text", text)
          if (isCall(call)) {
            message.close("text")
            message.toolCall(++blocks, call)
            message.toolArguments(blocks, call.input)
            message.close(blocks)
          }
          if (end === "stop" || end === "length") message.done(end)
          if (typeof error === "string") throw new Error(error)
        }
        await readSse(response.body, { signal, onEvent })
        if (!message.ended) throw protocolError("The answer was cut off")
      },
    },
    config,
  )
}

function isCall(value: unknown): value is { id: string; name: string; input: object } {
  return typeof value === "object" && value !== null && "input" in value
}
