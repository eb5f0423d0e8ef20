import { AddressRanges, familyOf } from "./AddressRanges.ts"
import { nat64, specialIpv4, specialIpv6, unicastIpv6 } from "./specialRanges.ts"

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
