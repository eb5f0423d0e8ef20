import { assert, describe, it } from "@effect/vitest"
import { array, map } from "effect/Arbitrary"
import { int } from "../../../core/testing/src/combine.ts"
import { isGlobal } from "./AllowedAddresses.ts"

/** The registry of special addresses of IPv4 (IANA), with multicast, and what is reserved in fact. */
const registry4 = {
  "0.0.0.0/8": "this network",
  "0.0.0.0/32": "this host on this network",
  "10.0.0.0/8": "private use",
  "100.64.0.0/10": "shared address space",
  "127.0.0.0/8": "loopback",
  "169.254.0.0/16": "link local",
  "172.16.0.0/12": "private use",
  "192.0.0.0/24": "protocol assignments",
  "192.0.0.0/29": "continuity",
  "192.0.0.8/32": "dummy address",
  "192.0.0.9/32": "port control protocol",
  "192.0.0.10/32": "relays around NAT",
  "192.0.0.170/32": "discovery of NAT64",
  "192.0.0.171/32": "discovery of NAT64",
  "192.0.2.0/24": "documentation",
  "192.31.196.0/24": "AS112",
  "192.52.193.0/24": "multicast relays",
  "192.88.99.0/24": "6to4 relays",
  "192.88.99.2/32": "6a44 relays",
  "192.168.0.0/16": "private use",
  "192.175.48.0/24": "AS112, direct delegation",
  "198.18.0.0/15": "benchmarks",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "240.0.0.0/4": "reserved",
  "255.255.255.255/32": "broadcast"
}

/** Where clouds serve their metadata, credentials included. */
const metadata = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fe80::a9fe:a9fe"
]

/** The registry of special addresses of IPv6 (IANA), with multicast, site-local and what is not assigned. */
const registry6 = {
  "::1/128": "loopback",
  "::/128": "unspecified",
  "::/96": "compatible with IPv4",
  "::ffff:0:0/96": "mapped from IPv4",
  "::ffff:0:0:0/96": "translated from IPv4",
  "64:ff9b:1::/48": "local NAT64",
  "100::/64": "discard",
  "100:0:0:1::/64": "dummy prefix",
  "200::/7": "not assigned",
  "400::/6": "not assigned",
  "800::/5": "not assigned",
  "1000::/4": "not assigned",
  "2001::/23": "protocol assignments",
  "2001::/32": "Teredo",
  "2001:1::1/128": "port control protocol",
  "2001:1::2/128": "relays around NAT",
  "2001:1::3/128": "registration of services",
  "2001:2::/48": "benchmarks",
  "2001:3::/32": "multicast relays",
  "2001:4:112::/48": "AS112",
  "2001:10::/28": "ORCHID",
  "2001:20::/28": "ORCHIDv2",
  "2001:30::/28": "remote identification of drones",
  "2001:db8::/32": "documentation",
  "2002::/16": "6to4",
  "2620:4f:8000::/48": "AS112, direct delegation",
  "3fff::/20": "documentation",
  "4000::/2": "not assigned",
  "5f00::/16": "segment routing",
  "8000::/1": "not assigned, private, local and multicast",
  "fc00::/7": "private",
  "fe80::/10": "link local",
  "fec0::/10": "site local",
  "ff00::/8": "multicast"
}

const bitsOf4 = (address: string): bigint => address.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)

const bitsOf6 = (address: string): bigint => {
  const [head = "", tail] = address.split("::")
  const groupsOf = (text: string) => (text === "" ? [] : text.split(":"))
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")]
  const gap = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array.from({ length: gap }, () => "0"), ...after]
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

const ipv4 = (bits: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join(".")

const ipv6 = (bits: bigint): string =>
  Array.from({ length: 8 }, (_, group) => ((bits >> BigInt(112 - 16 * group)) & 0xffffn).toString(16)).join(":")

interface Range {
  readonly name: string
  readonly first: bigint
  readonly last: bigint
}

const rangesOf = (registry: Readonly<Record<string, string>>, bitsOf: (address: string) => bigint, size: number) =>
  Object.entries(registry).map(([range, name]): Range => {
    const [address = "", bits] = range.split("/")
    const first = bitsOf(address)
    return { name: `${range} (${name})`, first, last: first + (1n << BigInt(size - Number(bits))) - 1n }
  })

const special4 = rangesOf({ ...registry4, "168.63.129.16/32": "the platform of Azure" }, bitsOf4, 32)
const special6 = rangesOf(registry6, bitsOf6, 128)

const isIn = (ranges: ReadonlyArray<Range>, bits: bigint): boolean =>
  ranges.some(({ first, last }) => first <= bits && bits <= last)

const nat64 = bitsOf6("64:ff9b::")

describe("given the special ranges of IPv4", () => {
  for (const { first, last, name } of special4) {
    it(`then no address of ${name} is global, and its neighbours are unless they are special`, () => {
      for (const bits of [first, first + 1n, (first + last) / 2n, last - 1n, last]) {
        if (bits >= first && bits <= last) assert.isFalse(isGlobal(ipv4(bits)), ipv4(bits))
      }
      for (const bits of [first - 1n, last + 1n]) {
        if (bits < 0n || bits >> 32n !== 0n) continue
        assert.strictEqual(isGlobal(ipv4(bits)), !isIn(special4, bits), ipv4(bits))
      }
    })

    it(`then no form of IPv6 with an address of ${name} is global`, () => {
      for (const bits of [first, last]) {
        const dotted = ipv4(bits)
        const forms = {
          mapped: ipv6(bitsOf6("::ffff:0:0") | bits),
          "mapped, dotted": `::ffff:${dotted}`,
          "mapped, long": `0000:0000:0000:0000:0000:ffff:${dotted}`,
          "mapped, upper case": `::FFFF:${dotted}`,
          compatible: ipv6(bits),
          "compatible, dotted": `::${dotted}`,
          translated: ipv6(bitsOf6("::ffff:0:0:0") | bits),
          NAT64: ipv6(nat64 | bits),
          "NAT64, dotted": `64:ff9b::${dotted}`,
          "local NAT64": ipv6(bitsOf6("64:ff9b:1::") | bits),
          "6to4": ipv6(bitsOf6("2002::") | (bits << 80n)),
          "Teredo server": ipv6(bitsOf6("2001::") | (bits << 64n)),
          "Teredo client": ipv6(bitsOf6("2001::") | (bits ^ 0xffffffffn)),
          ISATAP: ipv6(bitsOf6("fe80::5efe:0:0") | bits)
        }
        for (const [form, address] of Object.entries(forms)) assert.isFalse(isGlobal(address), `${form}: ${address}`)
      }
    })
  }
})

describe("given the special ranges of IPv6", () => {
  for (const { first, last, name } of special6) {
    it(`then no address of ${name} is global, and its neighbours are unless they are special`, () => {
      for (const bits of [first, first + 1n, (first + last) / 2n, last - 1n, last]) {
        if (bits >= first && bits <= last) assert.isFalse(isGlobal(ipv6(bits)), ipv6(bits))
      }
      for (const bits of [first - 1n, last + 1n]) {
        if (bits < 0n || bits >> 128n !== 0n) continue
        assert.strictEqual(isGlobal(ipv6(bits)), bits >> 125n === 1n && !isIn(special6, bits), ipv6(bits))
      }
    })
  }
})

describe("given any address", () => {
  it.prop(
    "then IPv4 is global if it is in no special range",
    { bits: map(array(int(0, 255), { minLength: 4, maxLength: 4 }), (parts) => bitsOf4(parts.join("."))) },
    ({ bits }) => {
      const isFree = !isIn(special4, bits)
      assert.strictEqual(isGlobal(ipv4(bits)), isFree, ipv4(bits))
      assert.strictEqual(isGlobal(ipv6(nat64 | bits)), isFree, ipv6(nat64 | bits))
      assert.strictEqual(isGlobal(`64:ff9b::${ipv4(bits)}`), isFree, ipv4(bits))
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "then IPv6 is global if it is unicast and in no special range",
    {
      start: int(0, 0xffff),
      rest: array(int(0, 0xffff), { minLength: 7, maxLength: 7 })
    },
    ({ rest, start }) => {
      for (const group of [start, 0x2000 | (start & 0x1fff), 0x2001]) {
        const bits = [group, ...rest].reduce((sum, part) => (sum << 16n) | BigInt(part), 0n)
        if (bits >> 32n === nat64 >> 32n) continue
        assert.strictEqual(isGlobal(ipv6(bits)), bits >> 125n === 1n && !isIn(special6, bits), ipv6(bits))
      }
    },
    { arbitrary: { runs: 500 } }
  )
})

describe("given well-known addresses", () => {
  for (const address of metadata) {
    it(`then ${address}, where a cloud serves metadata, is not global`, () => assert.isFalse(isGlobal(address)))
  }

  for (const address of [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:80b::200e",
    "2001:4860:4860::8888",
    "2001:200::1",
    "64:ff9b::8.8.8.8",
    "64:ff9b::808:808"
  ]) {
    it(`then ${address} is global`, () => assert.isTrue(isGlobal(address)))
  }

  for (const text of [
    "",
    "shop.example",
    "8.8.8",
    "8.8.8.8 ",
    " 8.8.8.8",
    "8.8.8.8.",
    "08.8.8.8",
    "8.8.8.256",
    "0x8.8.8.8",
    "8.8.8.8/32",
    "8.8.8.8:443",
    "8.8.8.8\0",
    "134744072",
    "[2606:4700::1]",
    "2606:4700::1%eth0",
    "2606:4700::1%",
    "2606:4700::1::",
    "2606:4700::12345",
    "fe80::1%1",
    "undefined"
  ]) {
    it(`then ${JSON.stringify(text)} is not`, () => assert.isFalse(isGlobal(text)))
  }
})
