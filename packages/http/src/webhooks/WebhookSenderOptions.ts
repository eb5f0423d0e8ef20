import { countOption, functionOption, type OptionTable, optionOf, optionsCheck } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { isRange } from "./AddressRanges.ts"

/** Returns all addresses of a host name, as text. The signal aborts when the attempt ends. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>

/** How webhooks are sent. */
export interface WebhookSenderOptions {
  /** Whether webhooks may be sent to this machine, by http, too. Default: false. For development and tests. */
  readonly allowLoopback?: boolean
  /**
   * Addresses of your own networks that webhooks may be sent to, by http, too: addresses or ranges such as `10.20.0.0/16`.
   * Default: none. Callers who may create webhooks can make this process send requests to all of them.
   */
  readonly allowAddresses?: ReadonlyArray<string>
  /** Certificates of authorities, in PEM, to trust in addition to those that Node.js trusts. */
  readonly certificateAuthorities?: ReadonlyArray<string>
  /**
   * Maximum number of attempts at a time. Default: 256. Others wait, and their timeout begins when they are sent. Half of them is kept
   * for endpoints that have no other attempt: one whose receiver hangs delays no other.
   */
  readonly connectionLimit?: number
  /** Maximum size of the body of a response, in bytes. Default: 64 KiB. It is read and discarded. */
  readonly responseLimit?: number
  /** Resolves host names. Default: DNS, without the hosts file of the system. All addresses are checked. */
  readonly resolveName?: ResolveName
}

const isText = (): boolean => true

const isListOf = (isItem: (text: string) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === "string" && isItem(item))

export const webhookSenderOptions = {
  allowLoopback: { schema: Schema.Boolean, default: false },
  allowAddresses: {
    schema: optionOf('a list of addresses and ranges, such as ["10.20.0.0/16", "fd00::1"]', isListOf(isText))
  },
  certificateAuthorities: {
    schema: optionOf(
      "a list of certificates in PEM",
      isListOf((text) => text.includes("-----BEGIN CERTIFICATE-----"))
    )
  },
  connectionLimit: { schema: countOption("a whole number of attempts, 1 or more", 1), default: 256 },
  responseLimit: { schema: countOption("a whole number of bytes"), default: 64 * 1024 },
  resolveName: { schema: functionOption("a function that returns the addresses of a name") }
} satisfies OptionTable<WebhookSenderOptions>

const check = optionsCheck("webhookSender", "{ allowLoopback: true }", webhookSenderOptions)

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. */
export const checkWebhookSenderOptions = (options: WebhookSenderOptions): void => {
  check(options)
  const bad = options.allowAddresses?.find((text) => !isRange(text))
  if (bad === undefined) return
  throw new TypeError(
    `The option allowAddresses contains ${JSON.stringify(bad.slice(0, 80))}, which is neither an address nor a range. Write names as their addresses, and ranges as 10.20.0.0/16 or fd00:20::/32.`
  )
}
