import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fileOf, newImportBatch } from "../../../testing/src/storage/rows.ts"
import { untyped } from "../../../testing/src/untyped.ts"
import type { Account } from "../../domain/Account.ts"
import type { EventType } from "../../domain/Event.ts"
import type { Message } from "../../domain/Message.ts"
import type { Movement } from "../../domain/Movement.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import type { ApiKeyRecord } from "../../ports/ApiKeyRows.ts"
import type { CategoryRecord } from "../../ports/CategoryRows.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import type { IdempotencyRecord } from "../../ports/IdempotencyRows.ts"
import type { ImportBatch } from "../../ports/ImportRows.ts"
import type { OrderRecord } from "../../ports/OrderRows.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { portableHasher } from "../portableHasher.ts"
import { Verification } from "../Verification.ts"
import { VerificationLimits } from "./VerificationLimits.ts"

type Store = Storage["Service"]
type Alter<Row> = (rows: ReadonlyArray<Row>) => ReadonlyArray<Row>

/** What a damaged store shows in place of the rows that were written. */
interface Damage {
  readonly problems?: ReadonlyArray<string>
  readonly categories?: Alter<CategoryRecord>
  readonly pets?: Alter<PetRecord>
  readonly listedPets?: Alter<PetRecord>
  readonly orders?: Alter<OrderRecord>
  readonly movements?: Alter<Movement>
  readonly events?: Alter<EventRecord>
  readonly messages?: Alter<Message>
  readonly answers?: Alter<IdempotencyRecord>
  readonly imports?: Alter<ImportBatch>
  readonly accounts?: Alter<Account>
  readonly apiKeys?: Alter<ApiKeyRecord>
}

const everything = 10_000

/** The altered rows of a table in pages, in the order that they have. */
const altered = <Row, Position>(
  read: (after: Position, limit: number) => Effect.Effect<ReadonlyArray<Row>, StorageError>,
  start: NoInfer<Position>,
  isBehind: (row: Row, after: Position) => boolean,
  alter: Alter<Row> = (rows) => rows
) => ({
  all: Effect.map(read(start, everything), alter),
  page: (after: Position, limit: number): Effect.Effect<ReadonlyArray<Row>, StorageError> =>
    Effect.map(read(start, everything), (rows) =>
      alter(rows)
        .filter((row) => isBehind(row, after))
        .slice(0, limit)
    )
})

const byId = (row: { readonly id: number }, after: number): boolean => row.id > after

const damaged = (store: Store, damage: Damage): Store => {
  const { accounts, apiKeys, categories, events, idempotency, imports, messages, movements, orders, pets } = store
  const { listedPets = (rows) => rows } = damage
  const alteredMessages = altered(messages.list, "", ({ id }, after) => id > after, damage.messages)
  return {
    ...store,
    inspect: Effect.succeed(damage.problems ?? []),
    categories: {
      ...categories,
      scan: altered(categories.scan, 0, ({ category }, after) => category.id > after, damage.categories).page
    },
    pets: {
      ...pets,
      scan: altered(pets.scan, 0, byId, damage.pets).page,
      list: (query) => Effect.map(pets.list(query), listedPets)
    },
    orders: { ...orders, scan: altered(orders.scan, 0, byId, damage.orders).page },
    movements: {
      ...movements,
      scan: altered(
        movements.scan,
        { petId: 0, seq: 0 },
        ({ petId, seq }, after) => petId > after.petId || (petId === after.petId && seq > after.seq),
        damage.movements
      ).page
    },
    events: { ...events, scan: altered(events.scan, 0, ({ seq }, after) => seq > after, damage.events).page },
    messages: {
      ...messages,
      list: alteredMessages.page,
      find: (id) => Effect.map(alteredMessages.all, (all) => all.find((message) => message.id === id))
    },
    idempotency: {
      ...idempotency,
      scan: altered(
        idempotency.scan,
        { accountId: 0, key: "" },
        ({ accountId, key }, after) =>
          accountId > after.accountId || (accountId === after.accountId && key > after.key),
        damage.answers
      ).page
    },
    imports: {
      ...imports,
      scan: altered(
        imports.scan,
        { file: "", seq: 0 },
        ({ file, seq }, after) => file > after.file || (file === after.file && seq > after.seq),
        damage.imports
      ).page
    },
    accounts: { ...accounts, list: altered(accounts.list, 0, byId, damage.accounts).page },
    apiKeys: { ...apiKeys, scan: altered(apiKeys.scan, 0, ({ key }, after) => key.id > after, damage.apiKeys).page }
  }
}

/** A shop with everything that the rules are about. */
const opened = Effect.gen(function* () {
  const { accounts, apiKeys, categories, inventory, messages, orders, pets } = yield* Petstore
  yield* categories.create({ name: "Dogs" })
  yield* categories.create({ name: "Cats" }, { idempotencyKey: "cats" })
  yield* categories.delete((yield* categories.create({ name: "Birds" })).id)

  // 1: five on hand, one of them shipped, two reserved. 2: held. 3: sold. 4: deleted. 5: one of four reserved.
  yield* pets.create({ name: "Rex", categoryId: 1 }, { idempotencyKey: "rex" })
  yield* inventory.set(1, 5)
  yield* pets.create({ name: "Tom", categoryId: 2, status: "pending" })
  yield* pets.create({ name: "Bob", categoryId: 2, status: "sold" })
  yield* pets.create({ name: "Kim", categoryId: 1 })
  yield* pets.create({ name: "Max", categoryId: 1 })
  yield* inventory.set(5, 4)

  yield* orders.place({ petId: 1, quantity: 2 }, { idempotencyKey: "open" })
  yield* orders.place({ petId: 1, complete: true })
  yield* orders.place({ petId: 1, quantity: 2 })
  yield* orders.cancel(3)
  yield* orders.place({ quantity: 3 })
  yield* orders.place({ petId: 1 })
  yield* orders.update(5, { petId: 5 })
  yield* orders.place({ petId: 4 })
  yield* orders.cancel(6)
  yield* pets.delete(4)

  yield* messages.enqueue("Hello", { idempotencyKey: "hello" })
  yield* messages.enqueue("Bye")
  yield* accounts.create({ name: "Shop" }, { idempotencyKey: "shop" })
  yield* accounts.create({ name: "Stall" })
  yield* apiKeys.create({ accountId: 1, name: "Till", preset: "write" })

  const { imports, transact } = yield* Storage
  yield* transact(imports.append(newImportBatch()))
})

/** Temporary lists of a test. */
const temporaryLists = Effect.sync(() => {
  const lists = new Map<string, ReadonlyArray<string>>()
  return {
    append: (list: string, text: string) =>
      Effect.sync(() => {
        lists.set(list, [...(lists.get(list) ?? []), text])
      }),
    read: (list: string, place: number) => Effect.sync(() => lists.get(list)?.[place])
  }
})

type Found = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>

/** The rules that are reported as broken, each with the rows that it shows. */
const verified = (damage: Damage, spill = false) =>
  Effect.gen(function* () {
    yield* opened
    const store = { ...damaged(yield* Storage, damage), ...(spill ? { temporaryLists } : {}) }
    const verify = Effect.flatMap(Verification, (verification) => verification.verify)
    const report = yield* verify.pipe(
      Effect.provide(Layer.fresh(Verification.layer).pipe(Layer.provide(Layer.succeed(Storage, store)))),
      Effect.provideService(VerificationLimits, spill ? { ids: 2, facts: 3 } : { ids: 32_768, facts: 20_000 })
    )
    const broken = report.checks.filter(({ violations }) => violations > 0)
    assert.strictEqual(report.ok, broken.length === 0)
    return { report, found: Object.fromEntries(broken.map(({ examples, name }) => [name, examples])) as Found }
  }).pipe(
    Effect.provide(
      Petstore.layer({ ...memory(), hasher: { ...portableHasher, randomBytes: (n) => new Uint8Array(n) } })
    )
  )

/** Changes the rows that match. */
const change =
  <Row>(matches: (row: Row) => boolean, changed: (row: Row) => Row): Alter<Row> =>
  (rows) =>
    rows.map((row) => (matches(row) ? changed(row) : row))

/** Changes the row with this id. */
const changeOf = <Row extends { readonly id: number }>(id: number, changed: (row: Row) => Row): Alter<Row> =>
  change((row) => row.id === id, changed)

const at =
  (petId: number, seq: number) =>
  (movement: Movement): boolean =>
    movement.petId === petId && movement.seq === seq

/** Movements of a pet in the other order: that with this seq, and the next. */
const swapped =
  (petId: number, seq: number): Alter<Movement> =>
  (movements) => {
    const first = movements.findIndex(at(petId, seq))
    const [one, next] = movements.slice(first, first + 2)
    if (one === undefined || next === undefined) throw new Error(`There are no two such movements of pet ${petId}`)
    return [...movements.slice(0, first), { ...next, seq }, { ...one, seq: seq + 1 }, ...movements.slice(first + 2)]
  }

/** When everything in the shop happened. */
const start = "1970-01-01T00:00:00.000Z"

/** What all movements of the shop have in common. */
const written = (petId: number, seq: number) => ({ petId, seq, actor: "owner", at: start })

const answerOf = (key: string, changed: (record: IdempotencyRecord) => IdempotencyRecord): Alter<IdempotencyRecord> =>
  change((record) => record.key === key, changed)

/** What is broken where the answer of a key tells something else of a new pet or order than its event. */
const answers = (
  key: "open" | "rex",
  field: string,
  found: unknown,
  expected: unknown
): Pick<Fault, "damage" | "found"> => ({
  damage: {
    answers: answerOf(key, (record) => ({
      ...record,
      result: JSON.stringify({ ...JSON.parse(record.result), [field]: found })
    }))
  },
  found: {
    answers_kept: [
      { accountId: 0, key, operation: key === "rex" ? "pets.create" : "orders.place", [field]: { found, expected } }
    ]
  }
})

const about =
  (subject: string, ...types: ReadonlyArray<EventType>) =>
  (event: EventRecord): boolean =>
    event.subject === subject && (types.length === 0 || types.includes(event.type))

const at0 = (events: ReadonlyArray<EventRecord>): EventRecord => events[0] ?? assert.fail("There is no event")

/** The spread forgets that this data belongs to this type of event. */
const withData =
  (fields: object) =>
  (event: EventRecord): EventRecord =>
    ({ ...event, data: { ...event.data, ...fields } }) as EventRecord

const renumbered: Alter<EventRecord> = (events) => events.map((event, index) => ({ ...event, seq: index + 1 }))

const without =
  (matches: (event: EventRecord) => boolean): Alter<EventRecord> =>
  (events) =>
    renumbered(events.filter((event) => !matches(event)))

const again =
  (matches: (event: EventRecord) => boolean, changed: (event: EventRecord) => EventRecord = (event) => event) =>
  (events: ReadonlyArray<EventRecord>): ReadonlyArray<EventRecord> =>
    renumbered([...events, ...events.filter(matches).map(changed)])

interface Fault {
  readonly given: string
  readonly damage: Damage
  /** Rules confirm each other, so some faults break several; the first is the one that the fault is about. */
  readonly found: Found
}

const faults: ReadonlyArray<Fault> = [
  {
    given: "the store reports a damaged page",
    damage: { problems: ["page 7 is damaged"] },
    found: { store_intact: [{ problem: "page 7 is damaged" }] }
  },
  {
    given: "two pets with one id",
    damage: { pets: (pets) => [...pets, ...pets.slice(-1)] },
    found: { ids_unique: [{ table: "pets", id: 5 }] }
  },
  {
    given: "an id beyond what JSON readers keep exact",
    damage: {
      apiKeys: change(
        () => true,
        (row) => ({ ...row, key: { ...row.key, id: 2 ** 53 } })
      )
    },
    found: { ids_unique: [{ table: "API keys", id: 2 ** 53 }] }
  },
  {
    given: "an event whose time is no date",
    damage: {
      events: change(
        ({ seq }) => seq === 3,
        (event) => ({ ...event, timestamp: "2026-02-30T09:30:00.000Z" })
      )
    },
    found: { times_valid: [{ seq: 3, timestamp: "2026-02-30T09:30:00.000Z" }] }
  },
  {
    given: "a movement whose time is in another form",
    damage: { movements: change(at(2, 2), (movement) => ({ ...movement, at: "2026-05-04T09:30:00Z" })) },
    found: {
      times_valid: [{ petId: 2, seq: 2, at: "2026-05-04T09:30:00Z" }],
      movements_told: [
        {
          petId: 2,
          lastMovement: { at: "2026-05-04T09:30:00Z", onHand: 1, reserved: 0, held: true },
          lastTold: { at: start, onHand: 1, reserved: 0, held: true }
        }
      ]
    }
  },
  {
    given: "an account without a time",
    damage: { accounts: changeOf(2, (account) => ({ ...account, createdAt: "" })) },
    found: { times_valid: [{ accountId: 2, createdAt: "" }] }
  },
  {
    given: "an API key whose times are none",
    damage: {
      apiKeys: change(
        () => true,
        (row) => ({
          ...row,
          key: { ...row.key, createdAt: "once", expiresAt: "never", lastUsedAt: "today" },
          previous: { digest: row.digest, until: "tomorrow" }
        })
      )
    },
    found: {
      times_valid: [{ keyId: 1, createdAt: "once", expiresAt: "never", lastUsedAt: "today", previousUntil: "tomorrow" }]
    }
  },
  {
    given: "an id that was given to a second order",
    damage: { events: again(about("orders/4")) },
    found: { ids_unique: [{ seq: 43, subject: "orders/4" }] }
  },
  {
    given: "two categories whose names differ in case alone",
    damage: {
      categories: change(
        ({ category }) => category.id === 2,
        (row) => ({ ...row, category: { ...row.category, name: "DOGS" }, nameKey: "dogs" })
      ),
      events: change(about("categories/2"), withData({ name: "DOGS" }))
    },
    found: {
      category_names: [{ categoryId: 2, name: "DOGS", sameAs: 1 }],
      answers_kept: [
        { accountId: 0, key: "cats", operation: "categories.create", name: { found: "Cats", expected: "DOGS" } }
      ]
    }
  },
  {
    given: "a category whose name is compared in another form than it must",
    damage: {
      categories: change(
        ({ category }) => category.id === 2,
        (row) => ({ ...row, nameKey: "Cats" })
      )
    },
    found: { category_names: [{ categoryId: 2, name: "Cats", comparedAs: "Cats" }] }
  },
  {
    given: "a pet with more units reserved than on hand",
    damage: { pets: changeOf(5, (pet) => ({ ...pet, stock: { onHand: 4, reserved: 5, held: false } })) },
    found: {
      stock_in_bounds: [{ petId: 5, onHand: 4, reserved: 5, held: false }],
      reserved_for_open_orders: [{ petId: 5, reserved: { found: 5, expected: 1 } }],
      ledger_adds_up: [{ petId: 5, reserved: { found: 5, expected: 1 } }],
      events_tell_inventory: [{ subject: "inventory/5", reserved: { found: 5, expected: 1 } }]
    }
  },
  {
    given: "a sold pet that is held",
    damage: { pets: changeOf(3, (pet) => ({ ...pet, stock: { ...pet.stock, held: true } })) },
    found: {
      stock_in_bounds: [{ petId: 3, onHand: 0, reserved: 0, held: true }],
      ledger_adds_up: [{ petId: 3, held: { found: true, expected: false } }],
      events_tell_inventory: [{ subject: "inventory/3", held: { found: true, expected: false } }]
    }
  },
  {
    given: "a pet that is listed under no status",
    damage: { listedPets: (pets) => pets.filter(({ id }) => id !== 2) },
    found: { one_status: [{ petId: 2, listed: { found: null, expected: "pending" } }] }
  },
  {
    given: "a pet that is listed twice",
    damage: { listedPets: (pets) => pets.flatMap((pet) => (pet.id === 2 ? [pet, pet] : [pet])) },
    found: { one_status: [{ petId: 2, listed: { found: "several", expected: "pending" } }] }
  },
  {
    given: "a deleted pet with stock",
    damage: { pets: changeOf(4, (pet) => ({ ...pet, stock: { onHand: 1, reserved: 0, held: false } })) },
    found: {
      deleted_pets_empty: [{ petId: 4, onHand: 1, reserved: 0, held: false }],
      ledger_adds_up: [{ petId: 4, onHand: { found: 1, expected: 0 } }],
      events_tell_inventory: [{ subject: "inventory/4", onHand: { found: 1, expected: 0 } }]
    }
  },
  {
    given: "a pet of a deleted category",
    damage: {
      pets: changeOf(3, (pet) => ({ ...pet, categoryId: 3 })),
      events: change(about("pets/3"), withData({ categoryId: 3 }))
    },
    found: { pet_categories: [{ petId: 3, categoryId: 3 }] }
  },
  {
    given: "a complete order without a ship date",
    damage: {
      orders: changeOf(2, (row) => ({ ...row, order: { state: "complete", petId: 1, quantity: 1 } })),
      events: change(about("orders/2"), withData({ shipDate: undefined }))
    },
    found: {
      order_contents: [{ orderId: 2, state: "complete", petId: 1, quantity: 1 }],
      events_consistent: [
        { seq: 19, type: "order.placed", subject: "orders/2" },
        { seq: 20, type: "order.completed", subject: "orders/2" }
      ]
    }
  },
  {
    given: "a draft with a pet",
    damage: {
      orders: changeOf(4, (row) => ({ ...row, order: { state: "draft", petId: 1, quantity: 3 } })),
      events: change(about("orders/4"), withData({ petId: 1 }))
    },
    found: {
      order_contents: [{ orderId: 4, state: "draft", petId: 1, quantity: 3 }],
      events_consistent: [{ seq: 28, type: "order.placed", subject: "orders/4" }]
    }
  },
  {
    given: "an order that was placed after its pet was deleted",
    damage: {
      events: (events) => {
        const ofPet = (event: EventRecord) => ["pets/4", "inventory/4"].includes(event.subject)
        return renumbered([...events.filter(ofPet), ...events.filter((event) => !ofPet(event))])
      }
    },
    found: { order_pets: [{ seq: 39, type: "order.placed", orderId: 6, petId: 4 }] }
  },
  {
    given: "an open order of a deleted pet",
    damage: {
      orders: changeOf(6, ({ id, version }) => ({ id, version, order: { state: "open", petId: 4, quantity: 1 } }))
    },
    found: {
      order_pets: [{ orderId: 6, petId: 4, state: "open" }],
      reserved_for_open_orders: [{ petId: 4, reserved: { found: 0, expected: 1 } }],
      order_movements: [{ orderId: 6, petId: 4, reserved: { found: 0, expected: 1 } }],
      order_closed_once: [{ orderId: 6, petId: 4, closed: { found: "cancelled", expected: null } }],
      events_tell_orders: [
        {
          subject: "orders/6",
          state: { found: "open", expected: "cancelled" },
          end: { found: null, expected: "order.cancelled" }
        }
      ]
    }
  },
  {
    given: "an open order of fewer units than are reserved",
    damage: {
      orders: changeOf(1, (row) => ({ ...row, order: { state: "open", petId: 1, quantity: 1 } })),
      events: change(about("orders/1"), withData({ quantity: 1 }))
    },
    found: {
      reserved_for_open_orders: [{ petId: 1, reserved: { found: 2, expected: 1 } }],
      order_movements: [{ orderId: 1, petId: 1, reserved: { found: 2, expected: 1 } }],
      answers_kept: [{ accountId: 0, key: "open", operation: "orders.place", quantity: { found: 2, expected: 1 } }]
    }
  },
  {
    given: "a gap in a ledger",
    damage: { movements: change(at(5, 3), (movement) => ({ ...movement, seq: 4 })) },
    found: {
      ledger_numbered: [
        { petId: 5, seq: 4, expected: 3 },
        { petId: 5, lastMovement: { found: 3, expected: 4 } }
      ]
    }
  },
  {
    given: "a ledger that lost its last movement",
    damage: { movements: (movements) => movements.filter((movement) => !at(2, 2)(movement)) },
    found: {
      ledger_numbered: [{ petId: 2, lastMovement: { found: 2, expected: 1 } }],
      ledger_adds_up: [{ petId: 2, held: { found: true, expected: false } }],
      movements_told: [
        {
          petId: 2,
          lastMovement: { at: start, onHand: 1, reserved: 0, held: false },
          lastTold: { at: start, onHand: 1, reserved: 0, held: true }
        }
      ]
    }
  },
  {
    given: "a pet with a unit more than its movements add up to",
    damage: {
      pets: changeOf(5, (pet) => ({ ...pet, stock: { ...pet.stock, onHand: 5 } })),
      events: change(about("inventory/5"), (event) =>
        event.type === "inventory.updated" && event.data.version === 3
          ? withData({ quantity: 5, available: 4 })(event)
          : event
      )
    },
    found: {
      ledger_adds_up: [{ petId: 5, onHand: { found: 5, expected: 4 } }],
      movements_told: [
        {
          petId: 5,
          lastMovement: { at: start, onHand: 4, reserved: 1, held: false },
          lastTold: { at: start, onHand: 5, reserved: 1, held: false }
        }
      ]
    }
  },
  {
    given: "units that were reserved before they were on hand",
    damage: {
      movements: swapped(1, 2)
    },
    found: { never_oversold: [{ petId: 1, seq: 2, onHand: 1, reserved: 2 }] }
  },
  {
    given: "a sold pet that lost its only movement",
    damage: { movements: (movements) => movements.filter(({ petId }) => petId !== 3) },
    found: {
      ledger_numbered: [{ petId: 3, lastMovement: 1, problem: "it has no movement" }],
      movements_told: [{ petId: 3, lastMovement: null, lastTold: { at: start, onHand: 0, reserved: 0, held: false } }]
    }
  },
  {
    given: "a movement at another time than its event tells",
    damage: { movements: change(at(5, 2), (movement) => ({ ...movement, at: "2026-05-04T09:30:00.000Z" })) },
    found: {
      movements_told: [
        {
          petId: 5,
          lastMovement: { at: start, onHand: 4, reserved: 1, held: false },
          lastTold: { at: start, onHand: 4, reserved: 1, held: false }
        }
      ]
    }
  },
  {
    given: "an open order below all ids",
    damage: { orders: (orders) => [{ id: -1, version: 1, order: { state: "draft" } }, ...orders] },
    found: {
      ids_unique: [{ table: "orders", id: -1 }],
      events_tell_orders: [{ subject: "orders/-1", problem: "no event tells of it" }]
    }
  },
  {
    given: "an event before the first",
    damage: { events: (events) => [{ ...at0(events), seq: 0 }, ...events] },
    found: {
      ids_unique: [{ seq: 1, subject: "categories/1" }],
      events_numbered: [{ seq: 0, expected: 1 }]
    }
  },
  {
    given: "an event whose id is none",
    damage: {
      events: change(
        ({ seq }) => seq === 3,
        (event) => ({ ...event, id: "evt_" })
      )
    },
    found: { event_ids: [{ seq: 3, id: "evt_", timestamp: start }] }
  },
  {
    given: "an event that is older than its time",
    damage: {
      events: change(
        ({ seq }) => seq === 3,
        (event) => ({ ...event, timestamp: "2026-05-04T09:30:00.000Z" })
      )
    },
    found: { event_ids: [{ seq: 3, id: "evt_0000000000000200000000", timestamp: "2026-05-04T09:30:00.000Z" }] }
  },
  {
    given: "a second initial movement",
    damage: { movements: change(at(5, 2), (movement) => ({ ...movement, kind: "initial" })) },
    found: {
      movements_fit: [
        {
          ...written(5, 2),
          kind: "initial",
          deltaOnHand: 3,
          deltaReserved: 0,
          before: { onHand: 1, reserved: 0, held: false }
        }
      ]
    }
  },
  {
    given: "a deleted pet whose ledger does not end with its removal",
    damage: { movements: change(at(4, 4), (movement) => ({ ...movement, kind: "written_off" })) },
    found: { movements_fit: [{ petId: 4, deleted: { found: true, expected: false } }] }
  },
  {
    given: "a hold that names an order",
    damage: { movements: change(at(2, 2), (movement) => ({ ...movement, orderId: 5 })) },
    found: { movements_known: [{ ...written(2, 2), kind: "held", deltaOnHand: 0, deltaReserved: 0, orderId: 5 }] }
  },
  {
    given: "a movement of nobody",
    damage: { movements: change(at(2, 2), (movement) => ({ ...movement, actor: "" })) },
    found: { movements_known: [{ ...written(2, 2), kind: "held", deltaOnHand: 0, deltaReserved: 0, actor: "" }] }
  },
  {
    given: "a movement that names another order than its own",
    damage: { movements: change(at(1, 3), (movement) => ({ ...movement, orderId: 4 })) },
    found: {
      order_movements: [
        { orderId: 4, petId: 1, reserved: { found: 2, expected: 0 } },
        { orderId: 1, petId: 1, reserved: { found: 0, expected: 2 } }
      ]
    }
  },
  {
    given: "a cancelled order whose units were only taken back",
    damage: {
      movements: change(
        ({ kind, petId }) => kind === "cancelled" && petId === 1,
        (movement) => ({ ...movement, kind: "unreserved" })
      )
    },
    found: { order_closed_once: [{ orderId: 3, petId: 1, closed: { found: null, expected: "cancelled" } }] }
  },
  {
    given: "a gap in the event log",
    damage: {
      events: (events) => events.map((event, index) => (index < 9 ? event : { ...event, seq: event.seq + 1 }))
    },
    found: { events_numbered: [{ seq: 11, expected: 10 }] }
  },
  {
    given: "a reservation that stays on the pet that an order has left",
    damage: { movements: change(at(1, 9), (movement) => ({ ...movement, orderId: 1 })) },
    found: {
      order_movements: [
        { orderId: 5, petId: 1, reserved: { found: 1, expected: 0 } },
        { orderId: 1, petId: 1, reserved: { found: 1, expected: 2 } }
      ]
    }
  },
  {
    given: "an order that was cancelled on a pet that it has left",
    damage: { movements: change(at(1, 9), (movement) => ({ ...movement, kind: "cancelled" })) },
    found: { order_closed_once: [{ orderId: 5, petId: 1, closed: { found: "cancelled", expected: null } }] }
  },
  {
    given: "an order that was shipped before its units were reserved",
    damage: { movements: swapped(1, 4) },
    found: { order_closed_once: [{ orderId: 2, petId: 1, late: { found: 5, expected: null } }] }
  },
  {
    given: "an event about another pet than its data",
    damage: { events: change(about("pets/4", "pet.deleted"), (event) => ({ ...event, subject: "pets/5" })) },
    found: { events_consistent: [{ seq: 40, type: "pet.deleted", subject: "pets/5" }] }
  },
  {
    given: "an inventory event with a status that its stock does not give",
    damage: { events: change(about("inventory/3"), withData({ status: "pending" })) },
    found: {
      events_consistent: [{ seq: 11, type: "inventory.updated", subject: "inventory/3" }],
      event_statuses: [{ seq: 11, type: "inventory.updated", petId: 3, status: "pending", told: "sold" }]
    }
  },
  {
    given: "a change of status to the same status",
    damage: { events: change(about("pets/4", "pet.status_changed"), withData({ previous: "pending" })) },
    found: {
      events_consistent: [{ seq: 36, type: "pet.status_changed", subject: "pets/4" }],
      event_statuses: [
        {
          seq: 36,
          type: "pet.status_changed",
          petId: 4,
          previous: { found: "pending", expected: "available" }
        }
      ]
    }
  },
  {
    given: "a change of status from another status than there was",
    damage: { events: change(({ seq }) => seq === 36, withData({ previous: "sold" })) },
    found: {
      event_statuses: [
        { seq: 36, type: "pet.status_changed", petId: 4, previous: { found: "sold", expected: "available" } }
      ]
    }
  },
  {
    given: "an event without the name of its pet",
    damage: { events: change(about("pets/4", "pet.created"), withData({ name: undefined })) },
    found: { events_consistent: [{ seq: 12, type: "pet.created", subject: "pets/4" }] }
  },
  {
    given: "an event whose data is none",
    damage: {
      events: change(
        about("orders/6", "order.cancelled"),
        (event) => ({ ...event, data: untyped(null) }) as EventRecord
      )
    },
    found: {
      events_consistent: [{ seq: 37, type: "order.cancelled", subject: "orders/6" }],
      events_tell_orders: [
        {
          subject: "orders/6",
          state: { found: "cancelled", expected: "open" },
          version: { found: 2, expected: 1 },
          end: { found: "order.cancelled", expected: null }
        }
      ]
    }
  },
  {
    given: "a complete order in an open state",
    damage: { events: change(about("orders/2", "order.placed"), withData({ state: "open" })) },
    found: { events_consistent: [{ seq: 19, type: "order.placed", subject: "orders/2" }] }
  },
  {
    given: "versions that were left out",
    damage: {
      events: change(about("inventory/5"), (event) =>
        event.type === "inventory.updated" && event.data.version === 2 ? withData({ version: 7 })(event) : event
      )
    },
    found: {
      event_versions: [
        { seq: 16, type: "inventory.updated", subject: "inventory/5", version: { found: 7, expected: 2 } },
        { seq: 33, type: "inventory.updated", subject: "inventory/5", version: { found: 3, expected: 8 } }
      ]
    }
  },
  {
    given: "a category whose creation no event tells of",
    damage: { events: without(about("categories/3", "category.created")) },
    found: {
      event_versions: [{ seq: 3, type: "category.deleted", subject: "categories/3", problem: "not created before" }],
      events_tell_categories: [{ subject: "categories/3", problem: "no event tells of it" }]
    }
  },
  {
    given: "an order that was completed and changed afterwards",
    damage: {
      events: again(
        about("orders/2", "order.completed"),
        (event) => ({ ...event, type: "order.updated" }) as EventRecord
      )
    },
    found: { ends_are_final: [{ seq: 43, type: "order.updated", subject: "orders/2", after: "order.completed" }] }
  },
  {
    given: "a category whose description no event tells of",
    damage: {
      categories: change(
        ({ category }) => category.id === 1,
        (row) => ({ ...row, category: { ...row.category, description: "Bark" } })
      )
    },
    found: { events_tell_categories: [{ subject: "categories/1", description: { found: "Bark", expected: null } }] }
  },
  {
    given: "a pet whose name no event tells of",
    damage: { pets: changeOf(1, (pet) => ({ ...pet, name: "Hasso" })) },
    found: { events_tell_pets: [{ subject: "pets/1", name: { found: "Hasso", expected: "Rex" } }] }
  },
  {
    given: "a stock version that no event tells of",
    damage: { pets: changeOf(3, (pet) => ({ ...pet, stockVersion: 2 })) },
    found: { events_tell_inventory: [{ subject: "inventory/3", version: { found: 2, expected: 1 } }] }
  },
  {
    given: "a ship date that no event tells of",
    damage: {
      orders: changeOf(4, (row) => ({ ...row, order: { ...row.order, shipDate: "2026-05-04T09:30:00.000Z" } }))
    },
    found: {
      events_tell_orders: [{ subject: "orders/4", shipDate: { found: "2026-05-04T09:30:00.000Z", expected: null } }]
    }
  },
  {
    given: "an order that no event tells of",
    damage: { events: without(about("orders/4")) },
    found: { events_tell_orders: [{ subject: "orders/4", problem: "no event tells of it" }] }
  },
  {
    given: "a lost order that events tell of",
    damage: { orders: (orders) => orders.filter(({ id }) => id !== 4) },
    found: { events_tell_orders: [{ subject: "orders/4", problem: "there is no row of it" }] }
  },
  {
    given: "a lost message that an event tells of",
    damage: { messages: (messages) => messages.slice(1) },
    found: { messages_told: [{ messageId: "msg_0000000000001400000000", problem: "an event message.queued too many" }] }
  },
  {
    given: "a message that no event tells of",
    damage: { events: without(({ subject }) => subject === "messages/msg_0000000000001600000000") },
    found: { messages_told: [{ messageId: "msg_0000000000001600000000", problem: "no event message.queued" }] }
  },
  {
    given: "a message that was queued twice",
    damage: { events: again(about("messages/msg_0000000000001400000000")) },
    found: { messages_told: [{ messageId: "msg_0000000000001400000000", problem: "an event message.queued too many" }] }
  },
  {
    given: "a message with another text than was queued",
    damage: {
      messages: change(
        ({ message }) => message === "Bye",
        (message) => ({ ...message, message: "Hi" })
      )
    },
    found: { messages_told: [{ messageId: "msg_0000000000001600000000", message: { found: "Hi", expected: "Bye" } }] }
  },
  {
    given: "a delivered message whose delivery no event tells of",
    damage: {
      messages: change(
        ({ message }) => message === "Bye",
        (message) => ({ ...message, status: "delivered" })
      )
    },
    found: { messages_told: [{ messageId: "msg_0000000000001600000000", problem: "no event message.delivered" }] }
  },
  {
    given: "an answer to an idempotency key that tells of a pet which was never made",
    damage: {
      answers: change(
        ({ key }) => key === "rex",
        (record) => ({ ...record, result: '{"id":99}' })
      )
    },
    found: { answers_kept: [{ accountId: 0, key: "rex", operation: "pets.create" }] }
  },
  ...["null", "7", "{}", "{", '{"id":"1"}', '{"id":null}'].map(
    (answer): Fault => ({
      given: `the answer ${answer} to an idempotency key of a pet`,
      damage: {
        answers: change(
          ({ key }) => key === "rex",
          (record) => ({ ...record, result: answer })
        )
      },
      found: { answers_kept: [{ accountId: 0, key: "rex", operation: "pets.create" }] }
    })
  ),
  ...["accounts.create", "categories.create", "messages.enqueue", "orders.place", "keys.create"].map(
    (operation): Fault => ({
      given: `an answer to an idempotency key of ${operation} that tells of nothing it ever made`,
      damage: {
        answers: change(
          ({ key }) => key === "rex",
          (record) => ({ ...record, operation, result: '{"id":99}' })
        )
      },
      found: { answers_kept: [{ accountId: 0, key: "rex", operation }] }
    })
  ),
  { given: "an answer that tells another name of a pet", ...answers("rex", "name", "Max", "Rex") },
  { given: "an answer that tells another version of a pet", ...answers("rex", "version", 2, 1) },
  { given: "an answer that tells another pet of an order", ...answers("open", "petId", 2, 1) },
  { given: "an answer that tells another quantity of an order", ...answers("open", "quantity", 1, 2) },
  { given: "an answer that tells more of an order than there was", ...answers("open", "colour", "red", null) },
  {
    given: "a second key with the answer of an order",
    damage: {
      answers: (records) =>
        records.flatMap((record) => (record.key === "open" ? [record, { ...record, key: "open2" }] : [record]))
    },
    found: { answers_kept: [{ accountId: 0, key: "open2", operation: "orders.place" }] }
  },
  {
    given: "an answer that is kept from a later time than its creation",
    damage: { answers: answerOf("rex", (record) => ({ ...record, createdAt: "2026-05-04T09:30:00.000Z" })) },
    found: {
      answers_kept: [
        {
          accountId: 0,
          key: "rex",
          operation: "pets.create",
          createdAt: { found: "2026-05-04T09:30:00.000Z", expected: start }
        }
      ]
    }
  },
  {
    given: "an answer of no time",
    damage: { answers: answerOf("rex", (record) => ({ ...record, createdAt: "" })) },
    found: { times_valid: [{ accountId: 0, key: "rex", createdAt: "" }] }
  },
  ...["", "rex ", "größer"].map(
    (key): Fault => ({
      given: `an answer to the idempotency key ${JSON.stringify(key)}`,
      damage: {
        answers: (records) =>
          records
            .map((record) => (record.key === "rex" ? { ...record, key } : record))
            .sort((a, b) => (a.key < b.key ? -1 : 1))
      },
      found: { answers_kept: [{ accountId: 0, key, operation: "pets.create" }] }
    })
  ),
  {
    given: "two answers to one idempotency key",
    damage: {
      answers: (records) => records.flatMap((record) => (record.key === "shop" ? [record, record] : [record]))
    },
    found: { answers_kept: [{ accountId: 0, key: "shop", operation: "accounts.create" }] }
  },
  {
    given: "an import whose first batch is gone",
    damage: {
      imports: change(
        () => true,
        (batch) => ({ ...batch, seq: 2, run: 1 })
      )
    },
    found: {
      import_batches: [{ file: fileOf(1), seq: 2, problem: "its number does not follow the one before" }]
    }
  },
  {
    given: "two accounts with one name",
    damage: { accounts: changeOf(2, (account) => ({ ...account, name: "SHOP" })) },
    found: { account_names: [{ accountId: 2, name: "SHOP", foundByName: 1 }] }
  },
  {
    given: "an API key of an account that does not exist",
    damage: {
      apiKeys: change(
        () => true,
        (row) => ({ ...row, key: { ...row.key, accountId: 9 } })
      )
    },
    found: { api_key_accounts: [{ keyId: 1, accountId: 9 }] }
  },
  ...[[], ["pets:read", "pets:eat"], "admin", null].map(
    (scopes): Fault => ({
      given: `an API key with the scopes ${JSON.stringify(scopes)}`,
      damage: {
        apiKeys: change(
          () => true,
          (row) => ({ ...row, key: { ...row.key, scopes: untyped(scopes) } })
        )
      },
      found: { api_key_scopes: [{ keyId: 1, scopes: untyped(scopes) }] }
    })
  )
]

describe("given rows that were written past the use cases", () => {
  it.effect("then what they contradict shows it", () =>
    Effect.gen(function* () {
      yield* opened
      const { events, messages, pets, transact } = yield* Storage
      yield* transact(
        Effect.gen(function* () {
          const pet = yield* pets.lock(5)
          if (pet === undefined) return yield* Effect.die(new Error("There is no pet 5"))
          yield* pets.saveStock({ ...pet, stock: { ...pet.stock, onHand: 9 } })
          yield* messages.insert({
            id: "msg_1",
            message: "Hi",
            status: "queued",
            createdAt: "2026-05-04T09:30:00.000Z"
          })
          yield* events.append({
            id: "evt_1",
            type: "category.deleted",
            subject: "categories/8",
            timestamp: "2026-05-04T09:30:00.000Z",
            data: { id: 8 }
          })
        })
      )
      const { checks } = yield* Effect.flatMap(Verification, ({ verify }) => verify)
      assert.deepStrictEqual(
        checks.flatMap(({ examples, name }) => (examples.length > 0 ? [[name, examples]] : [])),
        [
          ["ledger_adds_up", [{ petId: 5, onHand: { found: 9, expected: 4 } }]],
          [
            "event_versions",
            [{ seq: 43, type: "category.deleted", subject: "categories/8", problem: "not created before" }]
          ],
          ["events_tell_inventory", [{ subject: "inventory/5", onHand: { found: 9, expected: 4 } }]],
          ["messages_told", [{ messageId: "msg_1", problem: "no event message.queued" }]]
        ]
      )
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})

describe("given a store without a fault", () => {
  it.effect("then every rule holds, on one row or more", () =>
    Effect.gen(function* () {
      const { found, report } = yield* verified({})
      assert.deepStrictEqual(found, {})
      assert.deepStrictEqual(
        report.checks.filter(({ checked }) => checked === 0),
        []
      )
    })
  )

  it.effect("then each of its rules is broken by one of the faults below", () =>
    Effect.gen(function* () {
      const { report } = yield* verified({})
      const broken = new Set(faults.flatMap(({ found }) => Object.keys(found).slice(0, 1)))
      assert.deepStrictEqual([...broken].sort(), report.checks.map(({ name }) => name).sort())
    })
  )
})

for (const { damage, found, given } of faults) {
  describe(`given ${given}`, () => {
    it.effect(`then ${Object.keys(found).join(", ")} shows it, and nothing else does`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* verified(damage)).found, found)
      })
    )

    it.effect("then the same shows it where two rows at a time are in memory", () =>
      Effect.gen(function* () {
        const shown = (yield* verified(damage, true)).found
        assert.deepStrictEqual(Object.keys(shown), Object.keys(found))
        for (const [name, rows] of Object.entries(found)) assert.sameDeepMembers([...(shown[name] ?? [])], [...rows])
      })
    )
  })
}
