// Examples and sentences that several operations share in the OpenAPI document. All examples are of one small store, with the
// ids that a new server gives: the requests succeed in the order of the document.

export const dogs = { id: 1, name: "Dogs", description: "Loyal, loud and always hungry." }
/** A category without pets, which can be deleted. */
export const cats = { id: 2, name: "Cats" }
export const rex = { id: 1, name: "Rex", categoryId: dogs.id, status: "available" } as const
/** The pet that is created as one of several. */
export const luna = { id: 2, name: "Luna", categoryId: dogs.id, status: "available" } as const
export const stock = { petId: rex.id, quantity: 5, status: "available", reserved: 2, available: 3 } as const
export const record = {
  id: 1,
  externalId: "SKU-1042",
  metadata: { vendor: "Happy Paws" },
  createdAt: "2026-05-04T09:15:00.000Z",
  updatedAt: "2026-05-04T09:20:00.000Z"
}
export const order = { id: 1, petId: rex.id, quantity: 2, complete: false }
export const reservation = { orderId: order.id, expiresAt: "2026-05-04T09:45:00.000Z" }
export const message = {
  id: "msg_01jz3v9k2m4n6p8q",
  message: "Rex is ready to be picked up.",
  status: "queued",
  createdAt: "2026-05-04T09:30:00.000Z"
} as const
/** Another message: tools that read an example as a schema, with its id, take each id once. */
export const deliveredMessage = {
  ...message,
  id: "msg_01jz3v9k2m4n6p7d",
  status: "delivered",
  attempts: 2,
  deliveredAt: "2026-05-04T09:30:05.120Z"
} as const
export const account = { id: 1, name: "Corner shop", createdAt: "2026-05-04T09:00:00.000Z" }
export const apiKey = {
  id: 1,
  accountId: account.id,
  name: "Web shop",
  scopes: ["pets:read", "inventory:read", "orders:read", "orders:write"],
  createdAt: "2026-05-04T09:05:00.000Z"
} as const
/** It has the form of a key but not its checksum, so that no scanner takes it for a secret. */
export const secretKey = "psk_1_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleE000000"

export const webhook = {
  id: 1,
  url: "https://example.com/petstore",
  types: ["order.placed", "order.completed"],
  ordered: false,
  concurrency: 10,
  enabled: true,
  createdAt: "2026-05-04T09:10:00.000Z"
} as const
/** Its bytes are no random ones. */
export const webhookSecret = "whsec_RVhBTVBMRWV4YW1wbGVFWEFNUExFZXhhbXBsZTAwMDA="
/** Before the first attempt. */
export const scheduledDelivery = {
  id: 1,
  webhookId: webhook.id,
  seq: 42,
  eventId: "evt_01jz3v9k2m4n6p8q",
  type: "order.placed",
  subject: "orders/1",
  status: "pending",
  attempts: 0,
  createdAt: "2026-05-04T09:30:00.000Z",
  nextAttemptAt: "2026-05-04T09:30:05.120Z"
} as const

export const delivery = {
  ...scheduledDelivery,
  id: 31,
  attempts: 1,
  lastAttemptAt: "2026-05-04T09:30:00.080Z",
  failure: "status",
  responseStatus: 500,
  message: "The endpoint responded 500."
} as const
export const deliveryWithAttempts = {
  ...scheduledDelivery,
  latestAttempts: [
    {
      at: delivery.lastAttemptAt,
      durationMs: 75,
      delivered: false,
      responseStatus: delivery.responseStatus,
      failure: delivery.failure,
      message: delivery.message
    }
  ]
} as const

export const texts = {
  webhookSecret:
    "Only this response contains the secret, and it cannot be read again: the operation therefore rejects an `Idempotency-Key`.",
  id: "Unique identifier assigned on creation.",
  update: "Changes the fields that are sent and keeps the others.",
  secret:
    "Only this response contains the secret: the server does not store it, and therefore rejects an `Idempotency-Key`.",
  sort: "The order, by id: `id`, or `-id` for the newest first. A cursor works only with the same order. Default: `id`.",
  include:
    "`record` adds the field `record` to each resource: when it was created and last changed, its external id and its metadata. Default: without it. Beta.",
  record: "What is recorded about the resource. Only with `include=record`.",
  count: "Adds the header `Total-Count` with the number of items of all pages, up to 10,000. Default: false.",
  partial: "Absent fields keep their values.",
  stored:
    "Lengths are counted in Unicode code points. Text is trimmed and stored in Unicode NFC. It has at most 30 combining marks in a row."
}

/** What the fields of a webhook mean. */
export const webhookFields = {
  id: texts.id,
  types: "Types of the events that it receives. Default: every type but those of API keys.",
  description: "What the endpoint is for.",
  ordered:
    "Whether the events of one subject are sent in order: each waits until the previous one was delivered or has failed for good. It cannot be changed later.",
  concurrency: "Maximum number of concurrent requests to the endpoint.",
  enabled: "Whether events are sent to it.",
  disabledReason: "Why it is disabled.",
  disabledAt: "Since when it is disabled.",
  createdAt: "When the webhook was created."
}

const byTime = (field: string) => `The list is then sorted by \`${field}\`. Needs its index: see \`not_indexed\`. Beta.`

/** The filters by times and by metadata. */
export const recordParameterDocs = {
  createdAfter: {
    description: `Only what was created later than this time. ${byTime("createdAt")}`,
    example: "2026-05-04T00:00:00Z"
  },
  createdBefore: { description: `Only what was created before this time. ${byTime("createdAt")}` },
  updatedAfter: {
    description: `Only what was changed later than this time, itself or its record. ${byTime("updatedAt")}`
  },
  metadata: {
    description:
      "Only resources whose metadata has this value of a key, as `KEY=VALUE`. Takes no other filters. Needs the index of the key: see `not_indexed`. Beta.",
    example: "chip=276"
  }
}
