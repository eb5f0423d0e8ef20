import type { CommandName } from "@petstore/core/ports"

/**
 * The order in which every command takes its locks, whichever of them it needs: those on rows of tables, and those of exclusive
 * queries, by their names. Rows of one table are locked in ascending key. Two commands that lock in one order never wait for each
 * other in a circle. What is not here, the engine locks alone, in transactions of its own.
 *
 * `events` is the log: its numbers follow the order of commits, so an engine with many writers lets one transaction at a time append
 * to it, and nothing is locked after that.
 */
export const lockOrder: ReadonlyArray<string> = [
  "transactionTurn",
  "idempotency",
  "consumers",
  "orders",
  "pets",
  "categories",
  "openOrdersOf",
  "apiKeys",
  "adminKeysAfter",
  "messages",
  "webhooks",
  "events"
]

const named = "the store locks the name and checks it again when the row is written"

const held = "all that adds to what an owner holds asks openOrdersOf before"

const grows = "the log only grows"

const owned = { orderOf: "an order keeps its owner: what the caller may not see, they do not lock" }

/**
 * What each command may read in its transaction without a lock, and why that is enough: the name of a query, or a table and how its
 * rows are read; `*` stands for everything. All else it reads, it locks, or what it belongs to.
 */
export const readable: { readonly [Command in CommandName]?: Readonly<Record<string, string>> } = {
  "accounts.create": { accountsByName: named },
  "apiKeys.create": { "accounts.find": "accounts never change and are never deleted" },
  "categories.create": { categoriesByName: named },
  "categories.update": { categoriesByName: named },
  "consumers.open": { "consumers.find": "the store leaves a consumer as it is that another transaction has added" },
  "deliveries.requeueAll": {
    allDeliveriesBy: "it looks at each of them again once its endpoint is locked",
    deliveriesBy: "it looks at each of them again once its endpoint is locked",
    "events.scan": "the first event that is kept only moves on: a delivery of a removed one fails as event_gone"
  },
  "deliveries.record": {
    pendingDeliveries:
      "deliveries change only with a lock on their endpoint, and those that deliver a message end only with a lock on it: this command holds one of these",
    endpoints: "endpoints whose route is before an event have no delivery of it yet"
  },
  "messages.requeueAll": { messagesBy: "it looks at each of them again once it is locked" },
  "orders.expire": { "records.findAll": "the locks on their orders keep them as they are" },
  "orders.cancel": owned,
  "orders.complete": { draftsOf: held, ...owned },
  "orders.place": { draftsOf: held },
  "orders.placeAll": { draftsOf: held },
  "orders.removeReservation": owned,
  "orders.setReservation": owned,
  "orders.update": { draftsOf: held, ...owned },
  "records.update": { recordsByExternalId: named, ...owned },
  transaction: {
    "*": "it compares lists, totals and the end of the log with what its body has read, of which others that do so wait for its end, and looks for rows with ids that it has reserved"
  },
  "webhooks.create": { "events.latest": grows },
  "webhooks.redeliver": { "events.latest": grows, "events.scan": "events never change" }
}
