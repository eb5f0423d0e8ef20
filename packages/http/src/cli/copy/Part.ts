import { nameKey } from "@petstore/core/domain"
import type { AccessChange, Restore, Storage, StorageError, TableRecords, Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"

/** A store that can be copied, from or to. */
export type WholeStore = Storage["Service"] & { readonly restore: Restore }

/** Records of one part. They have no type here, because a loop over all parts cannot know it. */
export type Records = ReadonlyArray<unknown>

/** A part of a store that is copied in order, such as its pets. */
export interface Part {
  readonly name: string
  /** Reads the records after a record that it has read before; the first ones without it. */
  readonly page: (store: WholeStore, after: unknown, limit: number) => Effect.Effect<Records, StorageError>
  /** Adds records of a page to a store; a part of a transaction. */
  readonly add: (store: WholeStore, records: Records) => Effect.Effect<void, StorageError, Transaction>
  /** What of a record is the same in every copy. */
  readonly compared: (record: unknown) => unknown
}

interface TypedPart<Stored> {
  readonly page: (
    store: WholeStore,
    after: Stored | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Stored>, StorageError>
  readonly add: (store: WholeStore, records: ReadonlyArray<Stored>) => Effect.Effect<void, StorageError, Transaction>
  /** Without it, all of a record is compared. */
  readonly compared?: (record: Stored) => unknown
}

// A part is given only records that it has read itself.
const part = <Stored>(name: string, { add, compared = (record) => record, page }: TypedPart<Stored>): Part => ({
  name,
  page: (store, after, limit) => page(store, after as Stored | undefined, limit),
  add: (store, records) => add(store, records as ReadonlyArray<Stored>),
  compared: (record) => compared(record as Stored)
})

/** Below every id, and below the numbers that host applications choose for their accounts. */
const below = Number.NEGATIVE_INFINITY

const accounts: TypedPart<TableRecords["accounts"]> = {
  page: (store, after, limit) =>
    Effect.map(store.accounts.list(after?.account.id ?? below, limit), (all) =>
      all.map((account) => ({ account, nameKey: nameKey(account.name) }))
    ),
  add: ({ restore }, records) => restore.add.accounts(records)
}

const apiKeys: TypedPart<TableRecords["apiKeys"]> = {
  page: (store, after, limit) => store.apiKeys.scan(after?.key.id ?? below, limit),
  add: ({ restore }, records) => restore.add.apiKeys(records)
}

const accessLog: TypedPart<AccessChange> = {
  page: ({ restore }, after, limit) => restore.accessLog?.scan(after?.seq ?? 0, limit) ?? Effect.succeed([]),
  add: ({ restore }, changes) => restore.accessLog?.replay(changes) ?? Effect.void,
  // A replay numbers the changes anew: on PostgreSQL the numbers have gaps, after a crash or where a transaction was rolled back.
  compared: ({ seq: _, ...change }) => change
}

/** Accounts and API keys that the replay of their log has made: only the time of a key's last use is not in the log. */
const accessParts = (isLogged: boolean): ReadonlyArray<Part> =>
  isLogged
    ? [
        part("access log", accessLog),
        part("accounts", { ...accounts, add: () => Effect.void }),
        part("API keys", {
          ...apiKeys,
          add: (store, records) =>
            Effect.forEach(
              records,
              ({ key }) => (key.lastUsedAt === undefined ? Effect.void : store.apiKeys.touch(key.id, key.lastUsedAt)),
              { discard: true }
            )
        })
      ]
    : [part("accounts", accounts), part("API keys", apiKeys)]

const otherParts: ReadonlyArray<Part> = [
  part<TableRecords["categories"]>("categories", {
    page: (store, after, limit) => store.categories.scan(after?.category.id ?? below, limit),
    add: ({ restore }, records) => restore.add.categories(records)
  }),
  part<TableRecords["pets"]>("pets", {
    page: (store, after, limit) => store.pets.scan(after?.id ?? below, limit),
    add: ({ restore }, records) => restore.add.pets(records)
  }),
  part<TableRecords["orders"]>("orders", {
    page: (store, after, limit) => store.orders.scan(after?.id ?? below, limit),
    add: ({ restore }, records) => restore.add.orders(records)
  }),
  part<TableRecords["movements"]>("movements", {
    page: (store, after, limit) => store.movements.scan(after ?? { petId: below, seq: 0 }, limit),
    add: ({ restore }, records) => restore.add.movements(records)
  }),
  part<TableRecords["checkpoints"]>("checkpoints", {
    page: (store, after, limit) => store.checkpoints.scan(after?.subject ?? "", limit),
    add: ({ restore }, records) => restore.add.checkpoints(records)
  }),
  part<TableRecords["events"]>("events", {
    page: (store, after, limit) => store.events.scan(after?.seq ?? below, limit),
    add: ({ restore }, records) => restore.add.events(records)
  }),
  part<TableRecords["messages"]>("messages", {
    page: (store, after, limit) => store.messages.list({ after: after?.id ?? "", limit }),
    add: ({ restore }, records) => restore.add.messages(records)
  }),
  part<TableRecords["idempotency"]>("idempotency keys", {
    page: (store, after, limit) => store.idempotency.scan(after ?? { accountId: below, key: "" }, limit),
    add: ({ restore }, records) => restore.add.idempotency(records)
  }),
  part<TableRecords["imports"]>("import batches", {
    page: (store, after, limit) => store.imports.scan(after ?? { file: "", seq: 0 }, limit),
    add: ({ restore }, records) => restore.add.imports(records)
  }),
  part<TableRecords["consumers"]>("consumers", {
    page: (store, after, limit) => store.consumers.list(after?.name ?? "", limit),
    add: ({ restore }, records) => restore.add.consumers(records)
  }),
  part<TableRecords["parkedEvents"]>("parked events", {
    page: (store, after, limit) => store.parkedEvents.scan(after ?? { consumer: "", seq: 0 }, limit),
    add: ({ restore }, records) => restore.add.parkedEvents(records)
  }),
  part<TableRecords["webhooks"]>("webhooks", {
    page: (store, after, limit) => store.webhooks.scan(after?.webhook.id ?? below, limit),
    add: ({ restore }, records) => restore.add.webhooks(records)
  }),
  part<TableRecords["deliveries"]>("deliveries", {
    page: (store, after, limit) => store.deliveries.scan(after?.delivery.id ?? below, limit),
    add: ({ restore }, records) => restore.add.deliveries(records)
  })
]

/** All parts of a store, each behind those that it refers to. */
export const partsOf = (source: WholeStore, target: WholeStore): ReadonlyArray<Part> => [
  ...accessParts(source.restore.accessLog !== undefined && target.restore.accessLog !== undefined),
  ...otherParts
]
