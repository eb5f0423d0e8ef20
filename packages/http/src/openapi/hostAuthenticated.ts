import { errorExample } from "./errors.ts"
import {
  type Components,
  type HeaderObject,
  methods,
  type OpenApi,
  type OperationObject,
  type PathItem,
  type ResponseObject
} from "./OpenApi.ts"

// The parts of the document about API keys, for a server whose host application authenticates users.

const descriptions: { readonly [status: string]: string } = {
  401: "No user is signed in to the application that embeds this server.",
  403: "The user lacks a required scope, or a web page of another origin sent a change.",
  429: "A limit is reached, such as the rate limit of the user. Retry after the number of seconds in `Retry-After`."
}

const messages = [
  ["unauthenticated", "Sign in first."],
  ["insufficient_scope", "This needs the scope pets:write."],
  ["rate_limited", "Too many requests. Retry after 1 s."]
] as const

const examples = Object.fromEntries(
  messages.map(([code, message]) => [code, { value: { ...errorExample(code), message } }])
)

const headers: Readonly<Record<string, Partial<HeaderObject>>> = {
  Authenticate: {
    description: "How to authenticate (RFC 9110, section 11.6.1): sign in to the application that embeds this server.",
    schema: { type: "string", pattern: '^Session realm="petstore"$' },
    example: 'Session realm="petstore"'
  },
  RateLimit: {
    description:
      "The requests that the user has left (`r`), and the seconds until more are allowed (`t`). Absent if there is no limit."
  },
  RateLimitPolicy: {
    description:
      "The requests per user (`q`) in each window, and the length of the window in seconds (`w`). Absent if there is no limit."
  }
}

/** The statuses of responses that are components. */
const statusOf: { readonly [component: string]: string } = {
  Unauthorized: "401",
  Forbidden: "403",
  ForbiddenInput: "403",
  ForbiddenChange: "403",
  ForbiddenInputChange: "403",
  TooManyRequests: "429",
  TooManyStreams: "429"
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, map: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))

const without = <A>(record: Readonly<Record<string, A>>, name: string): Record<string, A> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name))

const response = (original: ResponseObject, status: string | undefined): ResponseObject => {
  const description = status === undefined ? undefined : descriptions[status]
  if (description === undefined) return original
  const changed = { ...original, description }
  if (status === "403") return { ...changed, headers: without(original.headers ?? {}, "WWW-Authenticate") }
  if (status !== "401") return changed
  return {
    ...changed,
    "x-error-codes": (original["x-error-codes"] ?? []).filter((code) => code !== "invalid_api_key"),
    content: mapValues(original.content ?? {}, (media) => ({
      ...media,
      examples: without(media.examples ?? {}, "invalid_api_key")
    }))
  }
}

const operation = (described: OperationObject): OperationObject => ({
  ...described,
  security: [],
  responses: mapValues(described.responses, (original, status) =>
    "$ref" in original ? original : response(original, status)
  )
})

const pathItem = (item: PathItem): PathItem => {
  const changed = methods.flatMap((method) => {
    const original = item[method]
    return original === undefined ? [] : [[method, operation(original)] as const]
  })
  return { ...item, ...Object.fromEntries(changed) }
}

const components = (all: Components): Components => ({
  ...all,
  securitySchemes: {},
  headers: mapValues(all.headers, (header, name) => ({ ...header, ...headers[name] })),
  responses: mapValues(all.responses, (original, name) => response(original, statusOf[name])),
  examples: { ...all.examples, ...examples }
})

/** Adapts a document to a server whose host application authenticates users; how it does that is not documented. */
export const hostAuthenticated = (document: OpenApi): OpenApi => ({
  ...document,
  paths: mapValues(document.paths, pathItem),
  components: components(document.components)
})
