import { type EntityTagKind, entityTags } from "../api/EntityTag.ts"
import { reservation } from "../api/examples.ts"
import type { HeaderObject, Reference } from "./OpenApi.ts"

/** An example of each kind of entity tag, all of one pet and its stock. */
export const entityTagExamples: Readonly<Record<EntityTagKind, string>> = {
  version: entityTags.version({ version: 3 }),
  record: entityTags.record({ version: 4 }),
  reservation: entityTags.reservation({ version: Date.parse(reservation.expiresAt) }),
  pet: entityTags.pet({ version: 3 }),
  stock: entityTags.stock({ version: 5 }),
  "pet+stock": entityTags["pet+stock"]({ version: 3, inventory: { version: 5 } })
}

/** What the names of the components of a kind of entity tag begin with. */
export const kindNames = {
  version: "Version",
  record: "Record",
  reservation: "Reservation",
  pet: "Pet",
  stock: "Stock",
  "pet+stock": "PetAndStock"
} as const satisfies Readonly<Record<EntityTagKind, string>>

const entityTag = (example?: string) =>
  ({
    description: "The entity tag of the resource, for `If-Match` and `If-None-Match`. Treat it as opaque.",
    required: true,
    schema: { type: "string", pattern: '^"[\\x21\\x23-\\x7e]+"$' },
    ...(example === undefined ? {} : { example })
  }) as const

const deprecationLinks = {
  description:
    'Links to the documentation of the deprecation (`rel="deprecation"`, `rel="sunset"`) and to the operation to use instead (`rel="successor-version"`). An error also has the link to its page (`rel="help"`).',
  schema: { type: "string" },
  example:
    '</docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html", </v1/store/pets/1>; rel="successor-version"'
} as const

const deprecation = {
  description: "When the operation was or will be deprecated, in Unix seconds (RFC 9745).",
  schema: { type: "string", pattern: "^@[0-9]+$" },
  example: "@1796428800"
} as const

const sunset = {
  description: "When the operation ends (RFC 8594). From then on it responds with 410.",
  schema: { type: "string" },
  example: "Thu, 05 Dec 2030 00:00:00 GMT"
} as const

const retryAfter = {
  description: "The number of seconds to wait before retrying.",
  schema: { type: "integer", minimum: 0 },
  example: 1
} as const

/**
 * The headers of responses, by the names of their components. They are required where they are always sent; some have
 * an optional form too, for statuses with which only some codes send them.
 */
export const headers = {
  RequestId: {
    description:
      "The id of the request in the log: the `X-Request-Id` that was sent, or a new one if that is absent or invalid.",
    required: true,
    schema: { type: "string", pattern: "^[\\w.:/+=@-]{1,128}$" },
    example: "3f9c2a71d0b4-1k"
  },
  ETag: entityTag(),
  // These differ only in their examples, so that mock servers send the tags that a server sends.
  VersionTag: entityTag(entityTagExamples.version),
  RecordTag: entityTag(entityTagExamples.record),
  ReservationTag: entityTag(entityTagExamples.reservation),
  PetTag: entityTag(entityTagExamples.pet),
  StockTag: entityTag(entityTagExamples.stock),
  PetAndStockTag: entityTag(entityTagExamples["pet+stock"]),
  Location: {
    description: "The path of the new resource.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
    example: "/v1/store/pets/1"
  },
  TotalCount: {
    description:
      "How many items the pages of the list have together, if `count` is `true`. A count ends at 10,000: `10000+` is for more.",
    schema: { type: "string", pattern: "^[0-9]{1,9}\\+?$" },
    example: "10000+"
  },
  NextPageLink: {
    description: 'The URL of the next page, with `rel="next"` (RFC 8288). Absent on the last page.',
    schema: { type: "string" },
    example: '</v1/pets?cursor=MS4xZ2s0dDN4LjI3&limit=20>; rel="next"'
  },
  ErrorPageLink: {
    description: 'The page about the error code, with `rel="help"` (RFC 8288). Absent for codes of rules of the shop.',
    schema: { type: "string" },
    example: '</docs/errors/not_found>; rel="help"'
  },
  DeprecationLinks: { ...deprecationLinks, required: true },
  OptionalDeprecationLinks: deprecationLinks,
  Deprecation: { ...deprecation, required: true },
  OptionalDeprecation: deprecation,
  Sunset: { ...sunset, required: true },
  OptionalSunset: sunset,
  RateLimit: {
    description:
      "The requests that this key has left (`r`), and the seconds until more are allowed (`t`). Absent if there is no limit.",
    schema: { type: "string", pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=59999;t=1'
  },
  RateLimitPolicy: {
    description:
      "The requests per key (`q`) in each window, and the length of the window in seconds (`w`). Absent if there is no limit.",
    schema: { type: "string", pattern: '^"default";q=[0-9]+;w=60$' },
    example: '"default";q=60000;w=60'
  },
  RetryAfter: { ...retryAfter, required: true },
  OptionalRetryAfter: retryAfter,
  ReceiverRetryAfter: {
    description:
      "The number of seconds to wait before the event is sent again, or the time to wait for as an HTTP date. A longer time than a day counts as a day.",
    schema: { type: "string" },
    example: "120"
  },
  Authenticate: {
    description: "How to authenticate (RFC 6750).",
    required: true,
    schema: { type: "string", pattern: '^Bearer realm="petstore"' },
    example: 'Bearer realm="petstore", error="invalid_token"'
  },
  Allow: {
    description: "The methods that the path supports.",
    required: true,
    schema: { type: "string" },
    example: "GET, HEAD, POST"
  },
  IdempotentReplayed: {
    description: "`true` if this is the stored result of an earlier request with the same idempotency key.",
    schema: { type: "string", enum: ["true"] },
    example: "true"
  },
  LiveStream: {
    description: "The response is sent as events happen: caches must not store it, and proxies must not compress it.",
    required: true,
    schema: { type: "string", pattern: "^no-store, no-transform(, |$)" },
    example: "no-store, no-transform"
  },
  Unbuffered: {
    description: "Tells proxies to pass the response on as it is sent.",
    required: true,
    schema: { type: "string", enum: ["no"] },
    example: "no"
  },
  NoStore: {
    description: "Caches must not store the response.",
    required: true,
    schema: { type: "string", pattern: "^no-store(, |$)" },
    example: "no-store"
  },
  PrivateResponse: {
    description:
      "Only the cache of the client itself may store the response, and must ask the server each time before it uses it: other callers may see other things.",
    required: true,
    schema: { type: "string", pattern: "^private, no-cache(, |$)" },
    example: "private, no-cache"
  }
} as const satisfies Readonly<Record<string, HeaderObject>>

export const headerReference = (name: keyof typeof headers): Reference => ({ $ref: `#/components/headers/${name}` })
