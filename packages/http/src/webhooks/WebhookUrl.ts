import { familyOf } from "./AddressRanges.ts"
import { type AllowedAddresses, howToAllow, isLocalhost } from "./AllowedAddresses.ts"

/** Where a request is sent. */
export interface WebhookUrl {
  readonly protocol: "http:" | "https:"
  /** The name or the address, without brackets and without a dot at its end. */
  readonly host: string
  readonly port: number
  /** Path and query. */
  readonly path: string
}

const lowestPort = 1024

/** The parts of a URL that webhooks may be sent to, or a sentence that says what is wrong with it and what to do. */
export const parseWebhookUrl = (text: string, allowed: AllowedAddresses): WebhookUrl | string => {
  const url = URL.parse(text)
  if (url === null || /[\s\\]/.test(text)) {
    return "This is not a valid URL. Give an absolute URL, such as https://shop.example/webhooks."
  }
  const { hash, hostname, password, pathname, port, protocol, search, username } = url
  if (protocol !== "https:" && protocol !== "http:") {
    return `The scheme ${protocol.slice(0, 20)} is not allowed. Give a URL that starts with https://.`
  }
  const host = hostname.replace(/^\[|\]$|\.$/g, "")
  if (protocol === "http:" && !allowed.hasListed) {
    return `http is not allowed. Give a URL that starts with https://. ${howToAllow(host)}`
  }
  if (username !== "" || password !== "") {
    return "The URL contains a user name or password. Remove them: receivers verify the signature of each request."
  }
  if (hash !== "") return "The URL has a fragment, which is never sent. Remove the part from # on."
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
  if (port !== "" && number < lowestPort) {
    return `The port ${port} is not allowed. Use the port of the scheme, which is ${protocol === "https:" ? 443 : 80}, or one of ${lowestPort} to 65535.`
  }
  if (familyOf(host) !== undefined && !allowed.has(host, protocol)) {
    return protocol === "http:"
      ? `http is not allowed to this address. Give a URL that starts with https://. ${howToAllow(host)}`
      : `The address is not one of the public internet. Give a host that can be reached from everywhere. ${howToAllow(host)}`
  }
  if (isLocalhost(host) && !["127.0.0.1", "::1"].some((address) => allowed.has(address, protocol))) {
    return `The host is the machine that sends webhooks. Give a host that can be reached from everywhere. ${howToAllow(host)}`
  }
  return { protocol, host, port: number, path: pathname + search }
}
