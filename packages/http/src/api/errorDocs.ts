import { type ErrorCode, limits } from "@petstore/core/domain"

/** A request, relative to the base path, with an API key unless it says otherwise. */
export interface ExampleCall {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Whether the request is sent without a key. */
  readonly isAnonymous?: true
}

/** What is published about an error, in Markdown. `docs/errors.md` contains the same sentences. */
interface ErrorDoc {
  readonly happened: string
  readonly remedy: string
  /** Requests to an empty store, of which the last one fails with this code; or when it fails, if no request alone causes that. */
  readonly cause: ReadonlyArray<ExampleCall> | string
}

const post = (path: string, body: unknown, headers?: ExampleCall["headers"]): ExampleCall => ({
  method: "POST",
  path,
  body,
  ...(headers === undefined ? {} : { headers })
})
const patch = (path: string, body: unknown, headers?: ExampleCall["headers"]): ExampleCall => ({
  ...post(path, body, headers),
  method: "PATCH"
})
const get = (path: string): ExampleCall => ({ method: "GET", path })
const remove = (path: string): ExampleCall => ({ method: "DELETE", path })

const dogs = post("/categories", { name: "Dogs" })
/** A pet, of which there is one unit. */
const rex = [dogs, post("/pets", { name: "Rex", categoryId: 1 })]
const ordered = [...rex, post("/store/orders", { petId: 1 })]

/** What each error means. The pages of errors show it. */
export const errorDocs: Readonly<Record<ErrorCode, ErrorDoc>> = {
  malformed_json: {
    happened: "The body is empty, not JSON or not UTF-8.",
    remedy: "Send one JSON object.",
    cause: [{ method: "POST", path: "/pets", headers: { "Content-Type": "application/json" } }]
  },
  malformed_request: {
    happened: "The request is not valid HTTP.",
    remedy: "Send it with an HTTP client.",
    cause: "The request has no `Host` header, for example."
  },
  unsupported_content_type: {
    happened: "`Content-Type: application/json` is missing, or the body is compressed.",
    remedy: "Send the header, and the body as it is.",
    cause: [post("/pets", { name: "Rex", categoryId: 1 }, { "Content-Type": "text/plain" })]
  },
  validation_failed: {
    happened: "The input does not match the schema.",
    remedy: "Correct the places listed in `violations`.",
    cause: [post("/pets", { name: " ", categoryId: 0 })]
  },
  invalid_cursor: {
    happened: "The cursor belongs to another list or other filters.",
    remedy: "Start again without a cursor.",
    cause: [get("/pets?cursor=unknown")]
  },
  not_indexed: {
    happened: "The list needs the index in `details`, which is not switched on.",
    remedy: "Name it in the option `indexes` of the petstore or `petstore serve --indexes`, or list without it.",
    cause: [get("/pets?sort=-createdAt")]
  },
  url_not_allowed: {
    happened: "Webhooks are not sent to this URL.",
    remedy: "`message` says why. Use another URL.",
    cause: [post("/webhooks", { url: "http://example.com/hook" })]
  },
  invalid_idempotency_key: {
    happened: "The key is not 1 to 255 visible ASCII characters, or the operation takes no key.",
    remedy: "Send a UUID, for example.",
    cause: [post("/messages", { message: "Hello" }, { "Idempotency-Key": "cart 7" })]
  },
  unauthenticated: {
    happened: "The request has no key.",
    remedy: "Send `Authorization: Bearer <API_KEY>`.",
    cause: [{ ...get("/pets"), isAnonymous: true }]
  },
  invalid_api_key: {
    happened: "The key is wrong, expired or revoked.",
    remedy: "Use another key, or ask an administrator for one.",
    cause: [{ ...get("/pets"), headers: { Authorization: "Bearer psk_1_wrong" }, isAnonymous: true }]
  },
  insufficient_scope: {
    happened: "The caller lacks the scope in `details`.",
    remedy: "Use a key that has it.",
    cause: "A key with the scope `pets:read` alone creates a pet, for example."
  },
  cross_site_request: {
    happened: "A web page of another origin sent a change, and `cors` does not allow that origin.",
    remedy:
      "Add the origin of the page to the option `cors` of the server. If it is the server's own, let the proxy pass on `Host`, or set `X-Forwarded-Host`.",
    cause: [post("/messages", { message: "Hello" }, { "Sec-Fetch-Site": "cross-site" })]
  },
  not_found: {
    happened: "The route or resource does not exist, or it was deleted; `details` has its `kind` and `id`.",
    remedy: "Check the path and the id.",
    cause: [get("/store/pets/99")]
  },
  method_not_allowed: {
    happened: "The path does not support this method.",
    remedy: "Use one from the `Allow` header.",
    cause: [{ method: "PUT", path: "/pets/1" }]
  },
  incomplete_request: {
    happened: "The request did not arrive completely in time.",
    remedy: "Send it again.",
    cause: "The client sends a part of the request, and then nothing for too long."
  },
  insufficient_stock: {
    happened: "Fewer units are free than requested; `details` has the numbers.",
    remedy: "Order fewer, or restock the pet.",
    cause: [...rex, post("/store/orders", { petId: 1, quantity: 2 })]
  },
  pet_not_available: {
    happened: "The pet is on hold or sold out.",
    remedy: "Release the hold, or restock the pet.",
    cause: [...rex, patch("/inventory/1", { quantity: 0 }), post("/store/orders", { petId: 1 })]
  },
  order_limit_exceeded: {
    happened:
      "The owner of the order would hold more open orders, reserved units or drafts than allowed; `details` has the numbers.",
    remedy: "Complete or cancel some first.",
    cause: "`POST /store/orders` by a customer who holds as many orders as the server allows."
  },
  pet_reserved: {
    happened: "The pet is pending because of its open orders, not because of a hold.",
    remedy: "Complete or cancel them.",
    cause: [...ordered, patch("/pets/1", { status: "available" })]
  },
  pet_has_open_orders: {
    happened: "The pet has open orders.",
    remedy: "Complete or cancel the open orders of the pet first.",
    cause: [...ordered, remove("/pets/1")]
  },
  invalid_status_transition: {
    happened: "A sold pet cannot get another status.",
    remedy: "Restock it.",
    cause: [...rex, patch("/inventory/1", { quantity: 0 }), patch("/pets/1", { status: "available" })]
  },
  quantity_below_reserved: {
    happened: "The stock cannot be less than the units reserved by open orders.",
    remedy: "Complete or cancel some of them first.",
    cause: [...ordered, patch("/inventory/1", { quantity: 0 })]
  },
  stock_limit_exceeded: {
    happened: "The stock would be more than the largest one, which is in `details`.",
    remedy: "Add fewer units.",
    cause: [
      ...rex,
      patch("/inventory/1", { quantity: limits.stock }),
      post("/inventory/1/adjustments", { delta: 1, reason: "received" })
    ]
  },
  order_is_draft: {
    happened: "The order needs a `petId` before it can be completed.",
    remedy: "Send the `petId`, before or with `complete`.",
    cause: [post("/store/orders", { complete: true })]
  },
  order_already_complete: {
    happened: "A complete order cannot change.",
    remedy: "Place another order.",
    cause: [...rex, post("/store/orders", { petId: 1, complete: true }), remove("/store/orders/1")]
  },
  unknown_pet: {
    happened: "The pet of the order does not exist.",
    remedy: "Check the `petId`.",
    cause: [post("/store/orders", { petId: 99 })]
  },
  unknown_category: {
    happened: "The category of the pet does not exist.",
    remedy: "Check the `categoryId`, or create the category first.",
    cause: [post("/pets", { name: "Rex", categoryId: 99 })]
  },
  unknown_account: {
    happened: "The account of the API key does not exist.",
    remedy: "Check the `accountId`, or create the account first.",
    cause: [post("/api-keys", { accountId: 99, name: "till", preset: "read" })]
  },
  category_name_taken: {
    happened: "The name is in use.",
    remedy: "Names are unique, ignoring case.",
    cause: [dogs, post("/categories", { name: "DOGS" })]
  },
  category_in_use: {
    happened: "The category has pets.",
    remedy: "Move or delete them first.",
    cause: [...rex, remove("/categories/1")]
  },
  external_id_taken: {
    happened: "Another pet, category or order has the external id in `details`.",
    remedy: "Choose another one, or remove it there first.",
    cause: [
      dogs,
      post("/categories", { name: "Cats" }),
      patch("/categories/1/record", { externalId: "A-1" }),
      patch("/categories/2/record", { externalId: "A-1" })
    ]
  },
  account_name_taken: {
    happened: "The name is in use.",
    remedy: "Names are unique, ignoring case.",
    cause: [post("/accounts", { name: "Shop" }), post("/accounts", { name: "SHOP" })]
  },
  last_admin_key: {
    happened: "No other admin key is valid for 7 more days or as long as this one.",
    remedy: "Create one, or rotate this one.",
    cause: "The last admin key in the store is revoked, on a server without an admin key of its own."
  },
  message_already_delivered: {
    happened: "A delivered message cannot be queued again.",
    remedy: "Queue a new one.",
    cause: "`POST /messages/{messageId}/requeue` for a message that was delivered."
  },
  idempotency_in_progress: {
    happened: "The first request with this key is still running.",
    remedy: "Retry after a second.",
    cause: "A request is repeated with its `Idempotency-Key` before its response has arrived."
  },
  cursor_expired: {
    happened:
      "The events after this position are [no longer kept](events.md#retention); `details.earliest` is the `seq` of the first that is.",
    remedy: "Read the resources themselves, then the events from there on.",
    cause: "`GET /events?after=0` after retention has removed the first events."
  },
  operation_sunset: {
    happened: "The operation has been removed; `details` names its successor.",
    remedy: "Use that.",
    cause: "A deprecated operation is called after the date in its `Sunset` header."
  },
  precondition_failed: {
    happened: "The resource has changed.",
    remedy: "Read it again.",
    cause: [...rex, patch("/pets/1", { name: "Max" }, { "If-Match": '"v99"' })]
  },
  payload_too_large: {
    happened: "The body exceeds the limit in `details`.",
    remedy: "Send less.",
    cause: [post("/messages", { message: "x".repeat(300_000) })]
  },
  idempotency_key_reused: {
    happened: "The key was used for a different request.",
    remedy: "Use a new key.",
    cause: ["Hello", "Bye"].map((message) => post("/messages", { message }, { "Idempotency-Key": "greeting-1" }))
  },
  rate_limited: {
    happened: "Too many requests.",
    remedy: "Wait for the seconds in `Retry-After`.",
    cause:
      "A key sends more requests in a minute than `RateLimit-Policy` allows, or 64 of its requests wait because they take more than its share of the server's time."
  },
  too_many_streams: {
    happened:
      "As many streams of events are open as the key, its account or the server may have: `details` has the `limit`, and `of` is `key`, `share` or `server`.",
    remedy: "Close a stream, or wait for the seconds in `Retry-After`.",
    cause: "`GET /events/stream` while too many streams are open."
  },
  headers_too_large: {
    happened: "The request line and headers are too large.",
    remedy: "Send fewer or shorter headers.",
    cause: [{ ...get("/pets"), headers: { "X-Note": "x".repeat(20_000) } }]
  },
  internal_error: {
    happened: "A bug or a fault in the petstore.",
    remedy: "The cause is in the log only.",
    cause: "No request should cause it. The operator finds it by the `X-Request-Id` of the response."
  },
  method_not_implemented: {
    happened: "No path supports this method.",
    remedy: "Use a method of HTTP, in capital letters.",
    cause: "The method is `PURGE` or `get`, for example."
  },
  storage_busy: {
    happened: "Another writer held the store for too long, or other calls its connections.",
    remedy: "Nothing was committed; retry.",
    cause: "Another process holds a lock in the database for longer than the store waits."
  },
  storage_full: {
    happened: "The disk is full.",
    remedy: "Nothing was committed; free some space and retry.",
    cause: "A change is made while the disk of the database has no space left."
  },
  storage_unavailable: {
    happened: "The disk fails, the process may open no more files, or the database files were deleted or replaced.",
    remedy: "Nothing was committed. The operator must act: see [Operations](operations.md#when-something-goes-wrong).",
    cause: "The database file is deleted while the server runs, for example."
  },
  overloaded: {
    happened: "Too many requests are waiting.",
    remedy: "Nothing was committed; retry.",
    cause: "Clients send requests faster than the server handles them."
  },
  shutting_down: {
    happened: "The server or the petstore is closing.",
    remedy: "Nothing was committed. Retry on another server, or when it is back.",
    cause: "A request arrives while the server stops."
  },
  request_timeout: {
    happened: "The request waited too long for its turn.",
    remedy: "Nothing was committed; retry.",
    cause: "Earlier requests, or another program, keep the store busy for longer than `requestTimeout`."
  },
  secret_unreadable: {
    happened: "The URL or a secret of a webhook is encrypted, and the keys of the petstore cannot decrypt it.",
    remedy: "`message` names the key. See [Webhooks](webhooks.md#encrypt-urls-and-secrets).",
    cause: "The server was started without the key that encrypted the webhook."
  },
  commit_unknown: {
    happened: "The outcome is unknown: the store failed while making the change durable.",
    remedy:
      "Repeat the call with its idempotency key: it succeeds once. Without a key, repeat an update with its version: 412 then means that it may have been made; and a deletion as it is: 404 then means that it was made.",
    cause: "The disk or the connection to the database fails at the moment of the commit."
  }
}
