import type { DeliveryStatus, MessageStatus } from "@petstore/core/domain"
import { compareValues, type Query } from "@petstore/core/kernel"
import type { TableName } from "@petstore/core/ports"
import {
  accountsByName,
  adminKeysAfter,
  allDeliveriesBy,
  apiKeysAfter,
  categoriesAfter,
  categoriesByName,
  deliveredMessages,
  deliveriesBy,
  deliveriesOfEvents,
  dueDeliveries,
  type ExternalIdQuery,
  endpoints,
  leasedDeliveries,
  leasedMessages,
  messagesBy,
  movementsOf,
  type OrderQuery,
  orderOf,
  ordersBy,
  ordersExpiringAfter,
  ordersReversedBy,
  type PetQuery,
  parkedEventsOf,
  pendingDeliveries,
  petIdsBy,
  petsBy,
  petsInCategory,
  petsReversedBy,
  recordsByExternalId,
  replaysOf,
  shownPetsBy,
  shownPetsReversedBy,
  versionedPets,
  waitingMessages
} from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import type { StoreRecords } from "./allRows.ts"
import { storageCases } from "./cases.ts"
import { each, inTurn, refuse } from "./programs.ts"
import { addPet, at, givenCategory, newDelivery, newWebhookRecord } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"
import type { TestedTransaction } from "./TestedStore.ts"
import { givenRecords } from "./tableCases.ts"

const all = 1_000

/** What a query must return for an argument. */
interface Question {
  readonly query: Query<unknown, unknown, number | string>
  readonly argument: unknown
  readonly expected: ReadonlyArray<unknown>
}

/** What is asked of a store with these records, with every n-th argument. */
export type Ask = (records: StoreRecords, every: number) => ReadonlyArray<Question>

/** `of` is the query of the whole rows, if this one shows a part of them. */
export const ask =
  <Row, Shown, Argument, Key extends number | string>(
    of: Query<Row, Argument, Key>,
    args: (records: StoreRecords) => ReadonlyArray<Argument>,
    query?: Query<Shown, Argument, Key>
  ): Ask =>
  (records, every) => {
    const { compare, selects, table } = of
    const shown = query?.table.viewOf ?? ((row: Row) => row)
    // The records of a table by its name, which types cannot follow.
    const rows = records[table.name as TableName] as unknown as ReadonlyArray<Row>
    return args(records)
      .filter((_, index) => index % every === 0)
      .map((argument) => ({
        // What a view shows has the same order and the same arguments.
        query: (query ?? of) as unknown as Question["query"],
        argument,
        expected: rows
          .filter((row) => table.isLive(row) && selects(row, argument))
          .sort((one, other) => compare(one, other, argument))
          .map((row) => shown(row as never))
      }))
  }

/** Every combination of these values of fields. */
export const combined = <Fields extends object>(
  values: { readonly [Name in keyof Fields]: ReadonlyArray<Fields[Name]> }
) =>
  Object.entries<ReadonlyArray<unknown>>(values).reduce<ReadonlyArray<object>>(
    (some, [name, choices]) => some.flatMap((fields) => choices.map((value) => ({ ...fields, [name]: value }))),
    [{}]
  ) as ReadonlyArray<Fields>

const positions = [0, 2, 5, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
const times = ["", "2026-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]

const petNames = [
  ...["Rex", "rex", "REX", "Rexine", "T-Rex"],
  ...["100% dog", "100 dogs", "a_b", "axb", "a*b", "a?b", "[ab]", "a\\b", "a'b", 'a"b', "a--b", "a.b"],
  ...["a", "aa", "aé", "aя", "a犬", "a\uffee", "a🐶", "a🐶🐶", "a\u{10ffff}", "b", "é", "éa", "🐶", "🐶a", "犬"]
]
const prefixes = [
  ...["Re", "rex", "Rexine", "Rexines"],
  ...["100%", "a_", "a*", "a?", "[a", "a\\", "a'", 'a"', "a-", "a.", "%", "_"],
  ...["a", "é", "🐶", "a🐶", "a🐶🐶", "犬", "a\uffee", "a\u{10ffff}", "\u{10ffff}"]
]

const petArguments = ({ pets }: StoreRecords) => [
  ...combined<PetQuery>({
    status: [undefined, "available", "pending", "sold"],
    categoryId: [undefined, 1, 2, 99],
    name: [undefined, "", Array.from(pets[3]?.name ?? "")[0] ?? "", pets[5]?.name ?? ""],
    after: [0]
  }),
  ...positions.map((after) => ({ after })),
  ...positions.map((after) => ({ after, status: "available" as const })),
  ...pets.map(({ id, name }) => ({ name: "", after: id, afterName: name }))
]

const orderArguments = () => [
  ...combined<OrderQuery>({
    petId: [undefined, 1, 99],
    complete: [undefined, true, false],
    state: [undefined, "draft", "open", "complete"],
    owner: [undefined, "7 user 1", "7"],
    after: [0, 5]
  }),
  ...positions.map((after) => ({ after }))
]

const ofWebhooks = <Fields extends object>(values: { readonly [Name in keyof Fields]: ReadonlyArray<Fields[Name]> }) =>
  combined<Fields & { readonly webhookId: number }>({ webhookId: [1, 2, 3, 99], ...values } as never)

const asks: ReadonlyArray<Ask> = [
  ask(accountsByName, ({ accounts }) => [...accounts.map(({ nameKey }) => nameKey), "nobody"]),
  ask(apiKeysAfter, () => positions),
  ask(adminKeysAfter, () => positions),
  ask(categoriesByName, ({ categories }) => [...categories.map(({ nameKey }) => nameKey), "nothing"]),
  ask(categoriesAfter, () => positions.map((after) => ({ after }))),
  ask(petsBy, petArguments),
  ask(petsBy, petArguments, shownPetsBy),
  ask(petsBy, petArguments, petIdsBy),
  ask(petsReversedBy, petArguments),
  ask(petsReversedBy, petArguments, shownPetsReversedBy),
  ask(petsInCategory, () => [1, 2, 99]),
  ask(ordersBy, orderArguments),
  ask(ordersReversedBy, orderArguments),
  ask(orderOf, ({ orders }) =>
    combined<{ id: number; owner: string }>({ id: [...orders.map(({ id }) => id), 99], owner: ["7 user 1", "7"] })
  ),
  ask(recordsByExternalId, ({ records }) =>
    combined<ExternalIdQuery>({
      kind: ["pets", "orders"],
      externalId: [...records.flatMap(({ externalId }) => externalId ?? []), "none"],
      owner: [undefined, "7 user 1", "7"]
    })
  ),
  ask(ordersExpiringAfter, () => times),
  ask(movementsOf, () => combined<{ petId: number; after: number }>({ petId: [1, 12, 99], after: positions })),
  ask(messagesBy, () =>
    combined<{ status: MessageStatus; after: string }>({
      status: ["queued", "delivered", "failed"],
      after: ["", "msg_2", "~"]
    })
  ),
  ask(deliveredMessages, () => times),
  ask(leasedMessages, () => [undefined]),
  ask(waitingMessages, () => [undefined]),
  ask(parkedEventsOf, () =>
    combined<{ consumer: string; after: number }>({
      consumer: ["consumer-0", "consumer-2", "consumer-5"],
      after: [0, 1]
    })
  ),
  ask(replaysOf, () =>
    combined<{ consumer: string; after: number }>({
      consumer: ["consumer-0", "consumer-2", "consumer-5"],
      after: [0, 1]
    })
  ),
  ask(endpoints, () => positions),
  ask(deliveriesBy, () =>
    ofWebhooks<{ status: DeliveryStatus | undefined; after: number }>({
      status: [undefined, "pending", "delivered", "failed"],
      after: [0, 4]
    })
  ),
  ask(allDeliveriesBy, ({ deliveries }) =>
    combined<{ status: DeliveryStatus | undefined; subject: string | undefined; after: number }>({
      status: [undefined, "pending", "delivered", "failed"],
      subject: [undefined, deliveries[0]?.delivery.subject, "pets/99"],
      after: [0, 4]
    })
  ),
  ask(dueDeliveries, () => ofWebhooks<{ at: string }>({ at: times })),
  ask(pendingDeliveries, ({ deliveries }) =>
    ofWebhooks<{ subject: string }>({ subject: deliveries.map(({ delivery }) => delivery.subject) })
  ),
  ask(deliveriesOfEvents, () => ofWebhooks<{ after: number }>({ after: [0, 2] })),
  ask(leasedDeliveries, () => ofWebhooks<{ after: string; through: string }>({ after: times, through: times }))
]

const limitsOf = ({ expected }: Question): ReadonlyArray<number> => (expected.length < 2 ? [all] : [all, 1])

const check = ({ argument, expected, query }: Question, limit: number, rows: ReadonlyArray<unknown>, count: number) => {
  const about = `${query.name} ${JSON.stringify(argument)}, up to ${limit}`
  assertEqual(rows, expected.slice(0, limit), about)
  assertEqual(count, Math.min(expected.length, limit), `the count of ${about}`)
}

/** Asks a store with these records for everything. */
export const askThese = (asks: ReadonlyArray<Ask>, store: Store, records: StoreRecords, every = 1) =>
  Effect.gen(function* () {
    for (const question of asks.flatMap((one) => one(records, every))) {
      const { argument, query } = question
      for (const limit of limitsOf(question)) {
        check(question, limit, yield* store.select(query, argument, limit), yield* store.count(query, argument, limit))
      }
    }
  })

const askAll = (store: Store, records: StoreRecords, every?: number) => askThese(asks, store, records, every)

/** The text of a statement depends on where it runs more than on its arguments, so that a part of them will do in most places. */
const some = 7

const askInCommand = (store: Store, records: StoreRecords) =>
  store.run(function* (tx) {
    for (const question of asks.flatMap((one) => one(records, some))) {
      const { argument, query } = question
      for (const limit of limitsOf(question)) {
        check(question, limit, yield* tx.all(query, argument, limit), yield* tx.count(query, argument, limit))
      }
    }
  })

export const queryCases = storageCases("storage: queries", {
  "every query selects, sorts and counts the rows that its description does, also in commands and snapshots": ({
    opened,
    ...store
  }) =>
    Effect.gen(function* () {
      const records = yield* givenRecords({ ...store, opened })
      yield* askAll(opened, records)
      yield* opened.snapshot(askAll(opened, records, some))
      yield* askInCommand(opened, records)
    }),

  "names of pets begin with a text as it is, in its case and in any script, and are sorted by code points": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      yield* store.run((tx) => each(petNames, (name) => addPet(tx, categoryId, { name })))
      for (const prefix of prefixes) {
        const pets = yield* store.select(petsBy, { name: prefix, after: 0 }, all)
        assertEqual(
          pets.map(({ name }) => name),
          petNames.filter((name) => name.startsWith(prefix)).sort(compareValues),
          `the names that begin with ${prefix}`
        )
      }
    }),

  "a range that ends at a value begins behind the rows that have none": (store) =>
    Effect.gen(function* () {
      yield* store.run(function* (tx) {
        const webhookId = yield* tx.webhooks.insert(newWebhookRecord())
        const { delivery, lease } = newDelivery(webhookId, 1)
        const { nextAttemptAt: _, ...waiting } = delivery
        yield* tx.deliveries.insertAll([{ delivery: waiting, lease }, newDelivery(webhookId, 2)])
      })
      const due = yield* store.select(dueDeliveries, { webhookId: 1, at: at(100) }, 10)
      assertEqual(
        due.map(({ delivery }) => delivery.seq),
        [2]
      )
    }),

  "a view shows a part of the rows that are live": ({ opened, ...store }) =>
    Effect.gen(function* () {
      const { pets } = yield* givenRecords({ ...store, opened })
      for (const pet of pets) {
        const expected = pet.deleted ? undefined : versionedPets.viewOf?.(pet as never)
        assertEqual(yield* opened.find(versionedPets, pet.id), expected)
      }
    }),
  "queries of a command see what it has changed, and later ones nothing of one that failed": (store) =>
    Effect.gen(function* () {
      const records = yield* givenRecords(store)
      const { opened } = store
      const live = records.pets.filter(({ deleted }) => deleted !== true)
      const rows = live.map((pet, index) => ({ ...pet, name: `Rex ${index % 5}`, categoryId: 1 }))
      const named = function* (tx: TestedTransaction) {
        for (const row of rows) yield* tx.pets.save(row)
        const pets = yield* tx.select(petsBy, { categoryId: 1, name: "Rex 1", after: 0 }, all)
        assertEqual(
          pets.map(({ id }) => id),
          rows.flatMap(({ id, name }) => (name === "Rex 1" ? [id] : []))
        )
      }
      yield* Effect.exit(store.run((tx) => inTurn(named(tx), refuse())))
      yield* askAll(opened, records, some)
      yield* store.run(named)
      yield* askAll(
        opened,
        { ...records, pets: records.pets.map((pet) => rows.find(({ id }) => id === pet.id) ?? pet) },
        some
      )
    })
})
