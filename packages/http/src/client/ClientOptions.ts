import {
  countOption,
  durationOption,
  functionOption,
  type OptionTable,
  optionOf,
  optionsCheck,
  secretOption,
  valuesOf
} from "@petstore/core/domain"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"

/** An API key, or a function that returns one. The function is called before every request, so that you can replace the key. */
export type ApiKeySource = ApiKeyText | (() => ApiKeyText | PromiseLike<ApiKeyText>)

type ApiKeyText = string | Redacted.Redacted<string>

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The options of a client. */
export interface ClientOptions {
  /**
   * The address of the operations, including the base path, such as `https://pets.example/v1`. In a web page it may be a path of
   * the site, such as `/petstore/v1`.
   */
  readonly baseUrl: string | URL
  /** The API key of every request. Leave it out if your app authenticates its users, for example by a cookie. */
  readonly key?: ApiKeySource
  /**
   * Whether a browser sends cookies. Default: `same-origin`. `include` sends them to a petstore of another origin too, whose option
   * `cors` must allow it.
   */
  readonly credentials?: "omit" | "same-origin" | "include"
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: Fetch
  /** Maximum number of retries of a request, if they are safe; 0 for none. Default: 4. */
  readonly retries?: number
  /** Maximum wait before a retry. Default: 10 seconds. If `Retry-After` is longer, the call fails. */
  readonly maxDelay?: Duration.Input
  /** Maximum duration of each request. Default: 60 seconds. */
  readonly timeout?: Duration.Input
}

/** The options with their defaults. */
export interface ClientSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Undefined if requests have no key. */
  readonly key: (() => ApiKeyText | PromiseLike<ApiKeyText>) | undefined
  /** Undefined for the default of `fetch`. */
  readonly credentials: ClientOptions["credentials"]
  readonly fetch: Fetch
  readonly retries: number
  /** In milliseconds. */
  readonly maxDelay: number
  readonly timeout: Duration.Duration
}

/** The URL of the web page that this runs in; undefined elsewhere. */
const pageUrl = (): string | undefined => (typeof location === "undefined" ? undefined : location.href)

const addressOf = (baseUrl: unknown): string | undefined => {
  const text = String(baseUrl)
  const page = text.startsWith("/") ? pageUrl() : undefined
  const url = URL.canParse(text, page) ? new URL(text, page) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search + url.hash !== "") {
    return undefined
  }
  let end = url.pathname.length
  while (url.pathname.charAt(end - 1) === "/") end--
  return url.origin + url.pathname.slice(0, end)
}

/** Whether a text can be sent as a key. An empty one is a key that no server accepts. */
const isKeyText = /^[\w.~+/=-]*$/

const isKey = (value: unknown): boolean =>
  typeof value === "function" || Redacted.isRedacted(value) || (typeof value === "string" && isKeyText.test(value))

export const clientOptions = {
  baseUrl: {
    schema: optionOf(
      "an absolute http or https URL, such as https://pets.example/v1, or in a web page a path such as /petstore/v1",
      (value) => addressOf(value) !== undefined
    )
  },
  key: {
    schema: secretOption("an API key, without Bearer, blanks or line ends, or a function that returns one", isKey)
  },
  credentials: {
    schema: optionOf(
      'one of "omit", "same-origin" and "include"',
      (value) => value === "omit" || value === "same-origin" || value === "include"
    )
  },
  fetch: { schema: functionOption("a function that is called like the global fetch") },
  retries: { schema: countOption("a whole number, 0 for no repetition"), default: 4 },
  maxDelay: { schema: durationOption, default: "10 seconds" },
  timeout: { schema: durationOption, default: "60 seconds" }
} satisfies OptionTable<ClientOptions>

const check = optionsCheck("A client", "{ baseUrl, key }", clientOptions, ["baseUrl"])

/** Fills in the defaults. Throws a TypeError for options of the wrong type, which plain JavaScript may pass. */
export const settingsOf = (options: ClientOptions): ClientSettings => {
  check(options)
  const { baseUrl, credentials, fetch, key } = options
  const { maxDelay, retries, timeout } = valuesOf(clientOptions, options)
  return {
    baseUrl: addressOf(baseUrl) ?? "",
    key: typeof key === "function" || key === undefined ? key : () => key,
    credentials,
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    retries,
    maxDelay: Duration.toMillis(maxDelay),
    timeout: Duration.fromInputUnsafe(timeout)
  }
}
