/** The published limits. Lengths are code points of the value as sent. */
export const limits = {
  /** Largest identifier: the largest integer that JSON readers keep exact. */
  id: Number.MAX_SAFE_INTEGER,
  petName: 200,
  /** Different words of a search. */
  searchedWords: 10,
  categoryName: 100,
  description: 1_000,
  accountName: 100,
  externalId: 200,
  metadataKeys: 50,
  metadataKey: 40,
  metadataText: 500,
  keyName: 100,
  /** Of the note of an adjustment of stock. */
  note: 200,
  /** Of the reason why an order is cancelled. */
  reason: 200,
  /** Of the reference of an adjustment of stock. */
  reference: 200,
  message: 16_384,
  /** Of the reason why a message was not delivered; longer ones are cut. */
  messageError: 500,
  orderQuantity: 1_000_000,
  /** Orders that one call places. */
  orders: 100,
  stock: 2_147_483_647,
  /** Milliseconds for which an order holds its units: 365 days. */
  reservation: 31_536_000_000,
  page: 100,
  defaultPage: 20,
  /** Where the count of a list ends. */
  total: 10_000,
  /** Pets that a list can select by `id`. */
  ids: 100,
  /** Elements of one call that creates or sets many. */
  batch: 1_000,
  /** Types of events that a filter can name. */
  eventTypes: 100,
  /** Characters of an idempotency key. */
  idempotencyKey: 255,
  /** Seconds that the old secret of a rotated key may stay valid: 7 days. */
  rotationGrace: 604_800,
  /** Seconds that another admin key must still work before one is revoked: 7 days. */
  adminHandover: 604_800,
  /** Requests that an endpoint of webhooks can get at the same time. */
  webhookConcurrency: 100,
  /** Deliveries that one call schedules again. */
  redeliveries: 1_000,
  /** Messages or deliveries that failed and that one call requeues. */
  requeues: 100,
  /** Violations that one error lists. */
  violations: 100,
  /** Characters of a client's own field name that an error repeats. */
  shownKey: 100,
  /** Characters of a text that an error repeats. */
  shownText: 40,
  /** Characters of an unknown path that an error repeats. */
  shownPath: 100
} as const
