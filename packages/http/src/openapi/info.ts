import type { Info, SecurityScheme, Tag } from "./OpenApi.ts"

/** How callers are authenticated: by API keys, or by the host application. */
export type Authentication = "apiKey" | "host"

const access: Readonly<Record<Authentication, string>> = {
  apiKey: "Send an API key as `Authorization: Bearer <API_KEY>`.",
  host: "Sign in to the application that embeds this server."
}

const description = (
  authentication: Authentication
): string => `Pets, categories, orders and stock. Stock is never oversold: an order reserves its units or is rejected.

**Authentication.** ${access[authentication]} Each operation lists the scopes that it requires, in its description and in \`x-required-scopes\`.

**Bodies** are JSON, sent as \`Content-Type: application/json\`. Unknown fields and unknown or repeated query parameters are rejected. Future versions may add fields to responses: ignore unknown fields. PATCH changes the fields that are sent and keeps the others.

**Errors** have the schema \`Error\`, with a stable \`code\`. A rejected request changes nothing.

**Lists** are paginated arrays; the \`Link\` header contains the URL of the next page. Long lists may be compressed (Brotli or gzip) if \`Accept-Encoding\` allows it.

**Retries.** Send an \`Idempotency-Key\` when you create, change or delete a resource: a retry with the same key has no second effect, and receives the response of the first success. Operations that return a secret reject the header. A rejection is not stored, so a request with the same key that is still on its way can succeed after it; a success is final. Send \`If-Match\` with the \`ETag\` that you read when you change or delete a resource, so that you do not overwrite changes by others.

**HEAD** responds as GET does, without the body.

**Events** report every change in the order of commits: list them, stream them, or let webhooks send them to you. The \`type\` of an event determines its \`data\`. Future versions may add types: ignore those that you do not know.

**Times** are RFC 3339 date-times with an offset, in the years 0001 to 9999 and without leap seconds; responses use UTC with milliseconds. **Identifiers** are whole numbers from 1 to 9007199254740991.`

export const infoOf = (authentication: Authentication): Info => ({
  title: "Petstore",
  version: "1.0.0",
  description: description(authentication),
  contact: { name: "The operator of this server" },
  license: { name: "MIT", url: "https://spdx.org/licenses/MIT.html" }
})

export const tags: ReadonlyArray<Tag> = [
  { name: "Pets", description: "Pets and their categories." },
  { name: "Store", description: "Orders, and the stock of each pet." },
  { name: "Messages", description: "A durable message queue.", "x-added": true },
  { name: "Events", description: "Every change, in the order of commits.", "x-added": true },
  { name: "Access", description: "Accounts and their API keys, for administrators.", "x-added": true },
  {
    name: "Webhooks",
    description: "Endpoints that events are sent to, what was delivered to them, and the requests that they get.",
    "x-added": true
  },
  {
    name: "Service",
    description:
      "The server itself: who calls it, its statistics, and health checks. These are outside the base path, and require no API key.",
    "x-added": true
  }
]

export const bearerScheme: SecurityScheme = {
  type: "http",
  scheme: "bearer",
  description: "An API key, created by an administrator. Send it as `Authorization: Bearer <API_KEY>`."
}
