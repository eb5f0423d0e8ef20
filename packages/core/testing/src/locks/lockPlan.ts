import type { CommandName, Rows } from "@petstore/core/ports"

/**
 * The order in which every command takes its locks, whichever of them it needs. Rows of one kind are locked in ascending
 * id. Two commands that lock in one order never wait for each other in a circle.
 *
 * `otherAdminKeys` is what `apiKeys.otherAdminExists` holds. `events` is the log: its numbers follow the order of
 * commits, so an engine with many writers lets one transaction at a time append to it, and nothing is locked after that.
 */
export const lockOrder = [
  "idempotency",
  "consumers",
  "orders",
  "pets",
  "categories",
  "apiKeys",
  "otherAdminKeys",
  "messages",
  "webhooks",
  "events"
] as const

export type Lockable = (typeof lockOrder)[number]

/** What locks or writes. */
type Locking =
  | "append"
  | "appendAll"
  | "insert"
  | "insertAll"
  | "lock"
  | "lockClaimable"
  | "lockDelivered"
  | "lockShared"
  | "otherAdminExists"
  | "purge"
  | "remove"
  | "save"
  | "saveStock"
  | "touch"
  | "trim"

/** A read that takes no lock, such as `pets.list`. */
export type UnlockedRead = {
  [Kind in keyof Rows]: `${Kind}.${Exclude<keyof Rows[Kind] & string, Locking>}`
}[keyof Rows]

const named = "the store locks the name and checks it again when the row is written"

const parked = "parked events change only with a lock on their consumer, which this command holds"

/** What each command may read in its transaction without a lock, and why that is enough. All else it reads, it locks. */
export const readable: { readonly [Command in CommandName]?: { readonly [Read in UnlockedRead]?: string } } = {
  "accounts.create": { "accounts.findByName": named },
  "apiKeys.create": { "accounts.find": "accounts never change and are never deleted" },
  "categories.create": { "categories.findByName": named },
  "categories.update": { "categories.findByName": named },
  "categories.delete": {
    "pets.list": "a pet enters a category only with a lock on it, which this command holds"
  },
  "consumers.open": { "consumers.find": "the store leaves a consumer as it is that another transaction has added" },
  "consumers.record": { "parkedEvents.find": parked },
  "consumers.remove": { "parkedEvents.list": parked },
  "consumers.replay": { "parkedEvents.find": parked },
  "consumers.discard": { "parkedEvents.find": parked },
  "deliveries.claim": {
    "deliveries.due": "deliveries change only with a lock on their endpoint, which this command holds",
    "deliveries.leased": "deliveries change only with a lock on their endpoint, which this command holds"
  },
  "deliveries.create": {
    "deliveries.pending": "deliveries change only with a lock on their endpoint, which this command holds"
  },
  "deliveries.extend": {
    "deliveries.find": "deliveries change only with a lock on their endpoint, which this command holds"
  },
  "deliveries.purge": {
    "deliveries.find": "deliveries change only with a lock on their endpoint, which this command holds"
  },
  "deliveries.record": {
    "deliveries.find": "deliveries change only with a lock on their endpoint, which this command holds",
    "deliveries.pending":
      "deliveries change only with a lock on their endpoint, and those that deliver a message end only with a lock on it: this command holds one of these",
    "webhooks.list": "endpoints whose route is before an event have no delivery of it yet"
  },
  "deliveries.release": {
    "deliveries.find": "deliveries change only with a lock on their endpoint, which this command holds"
  },
  "webhooks.create": { "events.latest": "the log only grows" },
  "webhooks.redeliver": {
    "deliveries.find": "deliveries change only with a lock on their endpoint, which this command holds",
    "deliveries.pending": "deliveries change only with a lock on their endpoint, which this command holds",
    "deliveries.ofEvents": "deliveries change only with a lock on their endpoint, which this command holds",
    "events.latest": "the log only grows",
    "events.scan": "events never change"
  }
}
