import { Resolver } from "node:dns/promises"
import { isLocalhost } from "./AllowedAddresses.ts"
import type { ResolveName } from "./WebhookSenderOptions.ts"

/** Milliseconds that a server of DNS has, at first; it is asked a second time, for longer. */
const timeoutMillis = 3_000

/**
 * Resolves names by DNS, for both families, with these servers or those of the system. Not by `dns.lookup`: it occupies one of
 * the four threads that Node.js has for such work, for as long as the servers of a name delay their response, and adds the search
 * domains of the system to names.
 */
export const dnsResolver =
  (servers?: ReadonlyArray<string>): ResolveName =>
  async (name, signal) => {
    if (isLocalhost(name)) return ["127.0.0.1", "::1"]
    const resolver = new Resolver({ timeout: timeoutMillis, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener("abort", cancel)
    try {
      const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      if (ipv4.status === "rejected" && ipv6.status === "rejected") throw ipv4.reason
      return [ipv4, ipv6].flatMap((result) => (result.status === "fulfilled" ? result.value : []))
    } finally {
      signal.removeEventListener("abort", cancel)
    }
  }
