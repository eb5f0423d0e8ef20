import type { LookupFunction } from "node:net"
import { familyOf } from "./AddressRanges.ts"
import { type AllowedAddresses, howToAllow, isLocalhost } from "./AllowedAddresses.ts"
import type { ResolveName } from "./WebhookSenderOptions.ts"

/** The URL, or an address that its name resolves to, is not allowed. */
export class AddressNotAllowed extends Error {}

/** A name has no address. */
class NoAddress extends Error {
  readonly code = "ENOTFOUND"
}

/**
 * The look-up of a socket. It passes on only addresses that are allowed, and the socket connects to these: there is no second
 * look-up whose result could differ. One address that is not allowed is enough to fail, so that a name cannot lead to a private
 * network on the second try.
 */
export const checkedLookup =
  (resolve: ResolveName, allowed: AllowedAddresses, protocol: string, signal: AbortSignal): LookupFunction =>
  (name, { all }, callback) => {
    const find = async () => {
      const resolved = await resolve(name, signal)
      // A request that ends early may leave its socket behind, which would still connect.
      signal.throwIfAborted()
      // The addresses of localhost are this machine: where only one of its families is allowed, that one is connected to.
      const within = isLocalhost(name) ? resolved.filter((address) => allowed.has(address, protocol)) : resolved
      const addresses = within.length === 0 ? resolved : within
      const [first] = addresses
      if (first === undefined) throw new NoAddress("The name has no address")
      if (!addresses.every((address) => allowed.has(address, protocol))) {
        throw new AddressNotAllowed(
          protocol === "http:"
            ? `The name resolves to an address that http is not allowed to. Nothing was sent. ${howToAllow(name)}`
            : `The name resolves to an address that is not one of the public internet. Nothing was sent. ${howToAllow(name)}`
        )
      }
      return addresses.map((address) => ({ address, family: familyOf(address) === "ipv6" ? 6 : 4 }))
    }
    find().then(
      (addresses) =>
        all ? callback(null, addresses) : callback(null, addresses[0]?.address ?? "", addresses[0]?.family),
      (error: Error) => callback(error, [])
    )
  }
