/**
 * Node.js's own fetch, waiting less long for a server that is silent than its usual five minutes.
 *
 * @param milliseconds To wait for headers, and between two pieces of a body.
 */
export async function impatientFetch(milliseconds: number): Promise<typeof globalThis.fetch> {
  await fetch("data:,") // what it is made of is there when it has been used
  const { constructor: Agent } = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) as object
  const limits = { headersTimeout: milliseconds, bodyTimeout: milliseconds }
  const dispatcher: unknown = Reflect.construct(Agent, [limits])
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit)
}
