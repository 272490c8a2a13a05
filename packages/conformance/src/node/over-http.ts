/** Connects an adapter to the suite over real HTTP on loopback. */
import type { StreamFn } from "@heddle/types"
import type { Connect, Connection } from "../harness.ts"
import type { Wire } from "../wire.ts"
import { startFaultServer } from "./fault-server.ts"

/** Where an adapter finds the fault server, and the key it is to use. */
export interface FaultEndpoint {
  /** Root of everything the server answers, without a slash at the end. */
  readonly url: string
  /** A made-up key. The server quotes it in what it refuses, and no message may hold it. */
  readonly key: string
}

const KEY = "sk-conformance-8f2c1d7e4b6a"

/**
 * @param wire What the fault server speaks.
 * @param connect Points an adapter at the server.
 */
export function overHttp(
  wire: Wire,
  connect: (endpoint: FaultEndpoint) => StreamFn | Omit<Connection, "requests">,
): Connect {
  return async (scenario) => {
    const server = await startFaultServer(wire, scenario, { key: KEY })
    const connected = connect({ url: server.url, key: KEY })
    const connection = typeof connected === "function" ? { streamFn: connected } : connected
    return {
      secrets: [KEY],
      ...connection,
      requests: () => server.requests,
      close: async () => {
        await connection.close?.()
        await server.close()
      },
    }
  }
}
