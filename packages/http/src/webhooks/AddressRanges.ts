import { BlockList, isIP } from "node:net"

const families = { 4: "ipv4", 6: "ipv6" } as const

/** The family of an address; undefined for other text, and with a zone, which names an interface of this machine. */
export const familyOf = (address: string): "ipv4" | "ipv6" | undefined => {
  const family = address.includes("%") ? 0 : isIP(address)
  return family === 4 || family === 6 ? families[family] : undefined
}

export const isRange = (text: string): boolean => {
  const [, address = "", bits] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const family = familyOf(address)
  return family !== undefined && (bits === undefined || Number(bits) <= (family === "ipv4" ? 32 : 128))
}

/** A set of addresses, made of ranges. */
export class AddressRanges {
  private readonly list = new BlockList()

  constructor(ranges: ReadonlyArray<string>) {
    for (const range of ranges) {
      const [address = "", bits] = range.split("/")
      const family = familyOf(address)
      const whole = family === "ipv4" ? 32 : 128
      this.list.addSubnet(address, bits === undefined ? whole : Number(bits), family)
    }
  }

  has(address: string): boolean {
    const family = familyOf(address)
    return family !== undefined && this.list.check(address, family)
  }
}
