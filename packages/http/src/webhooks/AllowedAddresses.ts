import { AddressRanges, familyOf } from "./AddressRanges.ts"
import type { WebhookSenderOptions } from "./WebhookSenderOptions.ts"

/**
 * What is not the public internet, as `address/bits`: the registries of special addresses of IANA (RFC 6890, as of 2026-11),
 * multicast, what is reserved, and addresses that networks route to machines of their own.
 */
const specialIpv4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared by the customers of a provider
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // the platform of Azure, inside its virtual machines
  "169.254.0.0/16", // link-local, and metadata of clouds
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // protocol assignments, and metadata of clouds
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112, often a machine of the own network
  "192.52.193.0/24", // multicast relays
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private use
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, and broadcast
] as const

/** The only part of IPv6 that is assigned to hosts of the internet. All else is special: loopback, private, mapped and so on. */
const unicastIpv6 = "2000::/3"

/** What is special within {@link unicastIpv6}. */
const specialIpv6 = [
  "2001::/23", // protocol assignments, with Teredo, which contains an IPv4 address
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which contains an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3fff::/20" // documentation
] as const

/** Contains an IPv4 address in its last 32 bits, which a gateway of the network connects to. */
const nat64 = "64:ff9b::/96"

/** Whether a name always stands for this machine (RFC 6761). */
export const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost")

const loopback = ["127.0.0.0/8", "::1/128"] as const

const loopbackRanges = new AddressRanges(loopback)
const special = new AddressRanges([...specialIpv4, ...specialIpv6])
const unicast = new AddressRanges([unicastIpv6])
const translated = new AddressRanges([nat64])

/** The IPv4 address in the last 32 bits of an IPv6 address. */
const lastIpv4 = (address: string): string => {
  // URLs write addresses in one form: groups without leading zeros, and without dots.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":")
  const bits = groups.slice(-2).map((group) => Number.parseInt(group === "" ? "0" : group, 16))
  return bits.flatMap((group) => [group >> 8, group & 0xff]).join(".")
}

/**
 * Whether an address is one of the public internet, as opposed to private networks, this machine and so on. False for what is
 * not an address, and for all forms of IPv6 that contain an IPv4 address, except for NAT64 with one that is global: networks
 * without IPv4 reach the internet of IPv4 through it.
 */
export const isGlobal = (address: string): boolean => {
  switch (familyOf(address)) {
    case "ipv4":
      return !special.has(address)
    case "ipv6":
      return translated.has(address) ? isGlobal(lastIpv4(address)) : unicast.has(address) && !special.has(address)
    default:
      return false
  }
}

/** How the addresses of a host that is not allowed can be: of this machine, or of a network of one's own. */
export const howToAllow = (host: string): string =>
  isLocalhost(host) || loopbackRanges.has(host)
    ? "To send to this machine, in development, start petstore serve with --webhook-addresses 127.0.0.1, or pass allowLoopback: true to webhookSender."
    : "To send to a network of your own, list its addresses: --webhook-addresses of petstore serve, or allowAddresses of webhookSender."

/** Which addresses webhooks are sent to. */
export class AllowedAddresses {
  private readonly listed: AddressRanges
  /** Whether there are addresses that may be reached by http, too. */
  readonly hasListed: boolean

  constructor({ allowAddresses = [], allowLoopback = false }: WebhookSenderOptions) {
    const ranges = [...(allowLoopback ? loopback : []), ...allowAddresses]
    this.listed = new AddressRanges(ranges)
    this.hasListed = ranges.length > 0
  }

  /** Whether an address may be connected to. What is not encrypted stays within the addresses that the options list. */
  has(address: string, protocol: string): boolean {
    return this.listed.has(address) || (protocol === "https:" && isGlobal(address))
  }
}
