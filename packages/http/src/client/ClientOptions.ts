import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import { durationOption } from "../durationOption.ts"

/** An API key, or what gives one; asked before every request, so that a key can be replaced while the client lives. */
export type ApiKeySource = ApiKeyText | (() => ApiKeyText | PromiseLike<ApiKeyText>)

type ApiKeyText = string | Redacted.Redacted<string>

/** What this client needs of `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Where a petstore is, and how it is called. */
export interface ClientOptions {
  /** Of the operations, base path included, such as `https://pets.example/v1`. */
  readonly baseUrl: string | URL
  readonly key: ApiKeySource
  /** Sends the requests; the global `fetch` if absent. */
  readonly fetch?: Fetch
  /** How often a request is repeated where that is safe; 4 times if absent, 0 for never. */
  readonly retries?: number
  /** The longest that is waited for the next repetition; 10 seconds if absent. A server that asks for longer is not asked again. */
  readonly maxDelay?: Duration.Input
  /** How long each request may take; 60 seconds if absent. */
  readonly timeout?: Duration.Input
}

/** The options, checked and complete. */
export interface ClientSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly key: () => ApiKeyText | PromiseLike<ApiKeyText>
  readonly fetch: Fetch
  readonly retries: number
  /** In milliseconds. */
  readonly maxDelay: number
  readonly timeout: Duration.Duration
}

const known: ReadonlySet<string> = new Set([
  "baseUrl",
  "key",
  "fetch",
  "retries",
  "maxDelay",
  "timeout"
] satisfies ReadonlyArray<keyof ClientOptions>)

const checkedUrl = (baseUrl: string | URL): string => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search + url.hash !== "") {
    throw new TypeError("The option baseUrl takes an absolute http or https URL, such as https://pets.example/v1")
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

const checkedKey = (key: ApiKeySource): ClientSettings["key"] => {
  if (typeof key === "function") return key
  if (typeof key === "string" || Redacted.isRedacted(key)) return () => key
  throw new TypeError("The option key takes an API key, or a function that gives one")
}

/** Throws a TypeError for options that cannot be meant. */
export const settingsOf = (options: ClientOptions): ClientSettings => {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("A client takes an object of options, with baseUrl and key")
  }
  const unknown = Object.keys(options).filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new TypeError(`A client does not know the option ${unknown.join(", ")}; it takes ${[...known].join(", ")}`)
  }
  const { maxDelay = "10 seconds", retries = 4, timeout = "60 seconds" } = options
  if (!Number.isSafeInteger(retries) || retries < 0) {
    throw new TypeError("The option retries takes a whole number, 0 for no repetition")
  }
  return {
    baseUrl: checkedUrl(options.baseUrl),
    key: checkedKey(options.key),
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    retries,
    maxDelay: Duration.toMillis(durationOption("maxDelay", maxDelay)),
    timeout: durationOption("timeout", timeout)
  }
}
