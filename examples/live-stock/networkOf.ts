import { isIPv6 } from "node:net"

/** The address of a visitor; with IPv6 the first 64 bits of it, since a visitor has all addresses that begin like that. */
export const networkOf = (ip = ""): string => {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*/, "")
  if (!isIPv6(address)) return address
  const [start = "", end = ""] = address.split("::")
  const groupsOf = (part: string): ReadonlyArray<string> => (part === "" ? [] : part.split(":"))
  const [first, last] = [groupsOf(start), groupsOf(end)]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0")
  const groups = [...first, ...zeros, ...last].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`
}
