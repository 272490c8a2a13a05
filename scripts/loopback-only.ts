/**
 * Refuses every connection that leaves this machine. Loaded before the tests and before the examples.
 *
 * Both promise to run offline and without keys. A request that slips out would pass where there is a network
 * and fail where there is none; here it fails everywhere, with its address.
 */
import { Socket } from "node:net"

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3}|0\.0\.0\.0|::)$/

const connect = Socket.prototype.connect

Socket.prototype.connect = function connectLocally(this: Socket, ...parameters: unknown[]): Socket {
  const host = hostOf(parameters)
  if (host !== undefined && !LOOPBACK.test(host)) {
    throw new Error(`A connection to ${host} was refused: tests and examples stay on this machine.`)
  }
  return Reflect.apply(connect, this, parameters)
}

/** @returns the host of `connect(options)`, `connect(port, host)` or a list of these; none means this machine. */
function hostOf(parameters: readonly unknown[]): string | undefined {
  const [first, second] = Array.isArray(parameters[0]) ? parameters[0] : parameters
  const host = typeof first === "object" && first !== null && "host" in first ? first.host : second
  return typeof host === "string" ? host : undefined
}
