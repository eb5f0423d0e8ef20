import type { DeliveryStatus, MessageStatus } from "@petstore/core/domain"
import { compareValues, type Query } from "@petstore/core/kernel"
import type { TableName } from "@petstore/core/ports"
import * as tables from "@petstore/core/tables"
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
  ...combined<tables.PetQuery>({
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
  ...combined<tables.OrderQuery>({
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
  ask(tables.accountsByName, ({ accounts }) => [...accounts.map(({ nameKey }) => nameKey), "nobody"]),
  ask(tables.apiKeysAfter, () => positions),
  ask(tables.adminKeysAfter, () => positions),
  ask(tables.categoriesByName, ({ categories }) => [...categories.map(({ nameKey }) => nameKey), "nothing"]),
  ask(tables.categoriesAfter, () => positions.map((after) => ({ after }))),
  ask(tables.petsBy, petArguments),
  ask(tables.petsBy, petArguments, tables.shownPetsBy),
  ask(tables.petsBy, petArguments, tables.petIdsBy),
  ask(tables.petsReversedBy, petArguments),
  ask(tables.petsReversedBy, petArguments, tables.shownPetsReversedBy),
  ask(tables.petsInCategory, () => [1, 2, 99]),
  ask(tables.ordersBy, orderArguments),
  ask(tables.ordersReversedBy, orderArguments),
  ask(tables.orderOf, ({ orders }) =>
    combined<{ id: number; owner: string }>({ id: [...orders.map(({ id }) => id), 99], owner: ["7 user 1", "7"] })
  ),
  ask(tables.recordsByExternalId, ({ records }) =>
    combined<tables.ExternalIdQuery>({
      kind: ["pets", "orders"],
      externalId: [...records.flatMap(({ externalId }) => externalId ?? []), "none"],
      owner: [undefined, "7 user 1", "7"]
    })
  ),
  ask(tables.ordersExpiringAfter, () => times),
  ask(tables.movementsOf, () => combined<{ petId: number; after: number }>({ petId: [1, 12, 99], after: positions })),
  ask(tables.messagesBy, () =>
    combined<{ status: MessageStatus; after: string }>({
      status: ["queued", "delivered", "failed"],
      after: ["", "msg_2", "~"]
    })
  ),
  ask(tables.deliveredMessages, () => times),
  ask(tables.leasedMessages, () => [undefined]),
  ask(tables.waitingMessages, () => [undefined]),
  ask(tables.parkedEventsOf, () =>
    combined<{ consumer: string; after: number }>({
      consumer: ["consumer-0", "consumer-2", "consumer-5"],
      after: [0, 1]
    })
  ),
  ask(tables.replaysOf, () =>
    combined<{ consumer: string; after: number }>({
      consumer: ["consumer-0", "consumer-2", "consumer-5"],
      after: [0, 1]
    })
  ),
  ask(tables.endpoints, () => positions),
  ask(tables.deliveriesBy, () =>
    ofWebhooks<{ status: DeliveryStatus | undefined; after: number }>({
      status: [undefined, "pending", "delivered", "failed"],
      after: [0, 4]
    })
  ),
  ask(tables.allDeliveriesBy, ({ deliveries }) =>
    combined<{ status: DeliveryStatus | undefined; subject: string | undefined; after: number }>({
      status: [undefined, "pending", "delivered", "failed"],
      subject: [undefined, deliveries[0]?.delivery.subject, "pets/99"],
      after: [0, 4]
    })
  ),
  ask(tables.dueDeliveries, () => ofWebhooks<{ at: string }>({ at: times })),
  ask(tables.pendingDeliveries, ({ deliveries }) =>
    ofWebhooks<{ subject: string }>({ subject: deliveries.map(({ delivery }) => delivery.subject) })
  ),
  ask(tables.deliveriesOfEvents, () => ofWebhooks<{ after: number }>({ after: [0, 2] })),
  ask(tables.leasedDeliveries, () => ofWebhooks<{ after: string; through: string }>({ after: times, through: times }))
]

const limitsOf = ({ expected }: Question): ReadonlyArray<number> => (expected.length < 2 ? [all] : [all, 1])

const check = ({ argument, expected, query }: Question, limit: number, rows: ReadonlyArray<unknown>, count: number) => {
  const about = `${query.name} ${JSON.stringify(argument)}, up to ${limit}`
  assertEqual(rows, expected.slice(0, limit), about)
  assertEqual(count, Math.min(expected.length, limit), `the count of ${about}`)
}

/** Asks a store with these records for everything. */
export const askThese = Effect.fnUntraced(function* (
  asks: ReadonlyArray<Ask>,
  store: Store,
  records: StoreRecords,
  every = 1
) {
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
  *"every query selects, sorts and counts the rows that its description does, also in commands and snapshots"({
    opened,
    ...store
  }) {
    const records = yield* givenRecords({ ...store, opened })
    yield* askAll(opened, records)
    yield* opened.snapshot(askAll(opened, records, some))
    yield* askInCommand(opened, records)
  },

  *"names of pets begin with a text as it is, in its case and in any script, and are sorted by code points"(store) {
    const categoryId = yield* givenCategory(store)
    yield* store.run((tx) => each(petNames, (name) => addPet(tx, categoryId, { name })))
    for (const prefix of prefixes) {
      const pets = yield* store.select(tables.petsBy, { name: prefix, after: 0 }, all)
      assertEqual(
        pets.map(({ name }) => name),
        petNames.filter((name) => name.startsWith(prefix)).sort(compareValues),
        `the names that begin with ${prefix}`
      )
    }
  },

  *"a range that ends at a value begins behind the rows that have none"(store) {
    yield* store.run(function* (tx) {
      const webhookId = yield* tx.webhooks.insert(newWebhookRecord())
      const { delivery, lease } = newDelivery(webhookId, 1)
      const { nextAttemptAt: _, ...waiting } = delivery
      yield* tx.deliveries.insertAll([{ delivery: waiting, lease }, newDelivery(webhookId, 2)])
    })
    const due = yield* store.select(tables.dueDeliveries, { webhookId: 1, at: at(100) }, 10)
    assertEqual(
      due.map(({ delivery }) => delivery.seq),
      [2]
    )
  },

  *"a view shows a part of the rows that are live"({ opened, ...store }) {
    const { pets } = yield* givenRecords({ ...store, opened })
    for (const pet of pets) {
      const expected = pet.deleted ? undefined : tables.versionedPets.viewOf?.(pet as never)
      assertEqual(yield* opened.find(tables.versionedPets, pet.id), expected)
    }
  },
  *"queries of a command see what it has changed, and later ones nothing of one that failed"(store) {
    const records = yield* givenRecords(store)
    const { opened } = store
    const live = records.pets.filter(({ deleted }) => deleted !== true)
    const rows = live.map((pet, index) => ({ ...pet, name: `Rex ${index % 5}`, categoryId: 1 }))
    const named = function* (tx: TestedTransaction) {
      for (const row of rows) yield* tx.pets.save(row)
      const pets = yield* tx.select(tables.petsBy, { categoryId: 1, name: "Rex 1", after: 0 }, all)
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
  }
})
