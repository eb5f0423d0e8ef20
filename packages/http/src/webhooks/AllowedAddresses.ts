import { AddressRanges } from "./AddressRanges.ts"
import { isGlobal } from "./isGlobal.ts"
import { loopback } from "./specialRanges.ts"
import type { WebhookSenderOptions } from "./WebhookSenderOptions.ts"

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
