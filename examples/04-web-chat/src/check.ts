/**
 * Checks the example without a browser: the server, the page's headers, one request through the proxy, and that no
 * key is in anything a client receives.
 */
import assert from "node:assert/strict"
import { createProxyStreamFn } from "@heddle/proxy-client"
import { buildAssets } from "./assets.ts"
import { nameOf, type Session } from "./browser/session.ts"
import { beginWith, KEY_NAMES, offerModels } from "./models.ts"
import { serve } from "./server.ts"

const keys = KEY_NAMES.map((name) => `secret-of-${name.toLowerCase()}`)
const offer = offerModels(Object.fromEntries(KEY_NAMES.map((name, index) => [name, keys[index]])))
const assets = await buildAssets()
const server = await serve({ ...offer, assets, port: 0 })

/** Everything the server sent, headers and bodies. */
const received: string[] = []

/** The global fetch, overheard. */
const listen: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const [kept, given] = response.body?.tee() ?? [null, null]
  received.push(JSON.stringify([...response.headers]), await new Response(kept).text())
  return new Response(given, response)
}

const page = await listen(server.url)
assert.equal(page.status, 200)
const policy = page.headers.get("content-security-policy") ?? ""
assert.match(policy, /default-src 'none'; script-src 'self';/)
assert.doesNotMatch(policy, /unsafe/, "neither eval nor scripts within the page")
for (const path of assets.keys()) assert.equal((await listen(server.url + path)).status, 200)
assert.equal((await listen(`${server.url}/../package.json`)).status, 404)
assert.equal((await listen(`${server.url}/api/session`, { method: "POST" })).status, 405)

const session: Session = await (await listen(`${server.url}/api/session`)).json()
assert.equal(session.model, "faux/script")
assert.deepEqual(
  [...new Set(session.models.map(({ provider }) => provider))],
  ["faux", "openai", "anthropic", "google"],
)

const [model] = session.models
assert.ok(model)
const ask = createProxyStreamFn({ proxyUrl: server.url, authToken: session.token, fetch: listen })
const context = { messages: [{ role: "user", content: "What is 6 * 7?", timestamp: Date.now() }] } as const
const answer = await ask(model, context).result()
assert.equal(answer.stopReason, "toolUse")
assert.deepEqual(
  answer.content.flatMap((block) => (block.type === "toolCall" ? [[block.name, block.arguments]] : [])),
  [["calculate", { expression: "6 * 7" }]],
)

const stranger = createProxyStreamFn({ proxyUrl: server.url, authToken: "a guess", fetch: listen })
assert.equal((await stranger(model, context).result()).failure?.code, "auth")
const unknown = await ask({ ...model, id: "unheard-of" }, context).result()
assert.equal(unknown.failure?.status, 404)

await assert.rejects(serve({ ...offer, assets, port: Number(new URL(server.url).port) }), /is in use/)
assert.throws(() => beginWith("openai/unheard-of", offer), /There is no model openai\/unheard-of here/)
assert.throws(() => beginWith("openai/gpt-6-luna", offerModels({})), /set OPENAI_API_KEY/)
assert.equal(nameOf(beginWith("google/gemini-3.5-flash", offer).models[0]!), "google/gemini-3.5-flash")

await server.close()
for (const key of keys) assert.ok(!received.join("\n").includes(key), `a client received ${key}`)
console.log(`All checks passed: ${received.length / 2} responses, no key in any of them.`)
