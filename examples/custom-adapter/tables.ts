import { type Account, type MessageRecord, type Movement, orderStates, StockRules } from "@petstore/core/domain"
import type * as Ports from "@petstore/core/ports"
import { type Keys, lmdbTable, type Root } from "./LmdbTable.ts"

/** The combinations of two filters: both, either, or neither. */
const combinations = (a: string | number, b: number | boolean): ReadonlyArray<Keys> =>
  [a, "any"].flatMap((one) => [b, "any"].map((other) => [one, other]))

/** Where the lists of an owner are beside those of everybody; none for orders of nobody. */
export const ownedBy = (owner: string | undefined): Keys => (owner === undefined ? [] : ["of", owner])

/** Every table: the key of its rows, and their index groups, in which "any" stands for every value. */
export const tables = (root: Root) => ({
  accounts: lmdbTable<{ readonly account: Account; readonly nameKey: string }>(root, "accounts", (row) => ({
    key: [row.account.id],
    groups: [["name", row.nameKey]]
  })),
  apiKeys: lmdbTable<Ports.ApiKeyRecord>(root, "apiKeys", ({ key, revoked }) => ({
    key: [key.id],
    groups: revoked ? [] : key.scopes.includes("admin") ? [["live"], ["admin"]] : [["live"]]
  })),
  categories: lmdbTable<Ports.CategoryRecord>(root, "categories", ({ category, nameKey, deleted }) => ({
    key: [category.id],
    groups: deleted ? [] : [["live"], ["name", nameKey]]
  })),
  pets: lmdbTable<Ports.PetRecord>(root, "pets", ({ id, categoryId, deleted, name, stock }) => {
    const filters = combinations(StockRules.statusOf(stock), categoryId)
    const [live, named] = [filters.map((both) => ["live", ...both]), filters.map((both) => ["named", ...both, name])]
    return { key: [id], groups: deleted ? [] : [...live, ...named] }
  }),
  orders: lmdbTable<Ports.OrderRecord>(root, "orders", ({ id, order: { petId = 0, state }, owner }) => {
    const { complete, visible } = orderStates[state]
    const lists = owner === undefined ? [["live"]] : [["live"], ["live", ...ownedBy(owner)]]
    const groups = lists.flatMap((list) => combinations(petId, complete).map((both) => [...list, ...both]))
    return { key: [id], groups: visible ? groups : [] }
  }),
  movements: lmdbTable<Movement>(root, "movements", ({ petId, seq }) => ({ key: [petId, seq] })),
  checkpoints: lmdbTable<Ports.CheckpointRecord>(root, "checkpoints", ({ subject }) => ({ key: [subject] })),
  // The trace is beside the event: LMDB does not keep symbols.
  events: lmdbTable<{ event: Ports.EventRecord; trace?: string }>(root, "events", (row) => ({ key: [row.event.seq] })),
  messages: lmdbTable<MessageRecord>(root, "messages", (message) => {
    const { createdAt, dueAt = createdAt, finishedAt, id, lease, status } = message
    // What workers look at, in the order of its time.
    const work = lease.until === undefined ? ["time", status, finishedAt ?? dueAt] : ["time", "leased", lease.until]
    return { key: [id], groups: [["status", status], work] }
  }),
  idempotency: lmdbTable<Ports.IdempotencyRecord>(root, "idempotency", ({ accountId, key, createdAt }) => ({
    key: [accountId, key],
    groups: [["createdAt", createdAt]]
  })),
  imports: lmdbTable<Ports.ImportBatch>(root, "imports", ({ file, seq }) => ({ key: [file, seq] })),
  consumers: lmdbTable<Ports.ConsumerRecord>(root, "consumers", ({ name }) => ({ key: [name] })),
  parkedEvents: lmdbTable<Ports.ParkedEventRecord>(root, "parkedEvents", ({ consumer, replay, seq }) => ({
    key: [consumer, seq],
    groups: replay ? [["replay"]] : []
  })),
  webhooks: lmdbTable<Ports.WebhookRecord>(root, "webhooks", ({ webhook, deleted }) => ({
    key: [webhook.id],
    groups: deleted ? [] : [["live"]]
  })),
  deliveries: lmdbTable<Ports.DeliveryRecord>(root, "deliveries", ({ delivery, lease }) => {
    const { id, nextAttemptAt, seq, status, subject, webhookId: of } = delivery
    const groups = [
      ["live", of, "any"],
      ["live", of, status],
      ["event", of, seq]
    ] as const
    const due = nextAttemptAt === undefined ? [] : [["due", of, nextAttemptAt] as const]
    const leased = lease.until === undefined ? [] : [["leased", of] as const]
    const pending = status === "pending" ? [["subject", of, subject] as const] : []
    return { key: [id], groups: [...groups, ...due, ...leased, ...pending] }
  })
})

export type Tables = ReturnType<typeof tables>
