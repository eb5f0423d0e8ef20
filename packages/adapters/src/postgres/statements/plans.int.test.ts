import { assert, layer } from "@effect/vitest"
import { Transaction } from "@petstore/core/ports"
import { aPetRecord } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import pg from "pg"
import { testDatabase } from "../../../test/support/postgres.ts"
import { rows } from "../../sql/rows.ts"
import { GroupStatements } from "../commit/group/GroupStatements.ts"
import type { Parameter } from "../connection/PostgresConnection.ts"
import { sessionSettings } from "../connection/settings.ts"
import { appendStatement } from "../events/appendEvents.ts"
import { postgres } from "../postgres.ts"
import { PostgresSql } from "./PostgresSql.ts"
import type { PostgresTransaction, Statement } from "./Statement.ts"

interface Recorded {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
}

/** The statements of calls of the port, as the adapter sends them. */
const statementsOf = (
  calls: (storage: ReturnType<typeof rows>) => ReadonlyArray<Effect.Effect<unknown, unknown, Transaction>>
) =>
  Effect.gen(function* () {
    const statements: Array<Recorded> = []
    const execute = <A>({ decode, text }: Statement<A>, values: ReadonlyArray<Parameter>) =>
      Effect.sync(() => {
        statements.push({ text, values })
        return decode({ rows: [], count: 0, command: "" })
      })
    const sql = new PostgresSql("petstore", { execute })
    const transaction: PostgresTransaction = {
      execute,
      claim: () => Effect.succeed(true),
      append: () => Effect.void,
      run: () => Effect.die("There are no nested parts")
    }
    const handle = sql.transactions.begin(transaction)
    yield* Effect.provideService(
      Effect.forEach(calls(rows(sql)), (call) => Effect.exit(call)),
      Transaction,
      handle
    )
    return statements
  })

/** A step of a plan, as EXPLAIN returns it. */
interface Step {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Filter?: string
  readonly Plans?: ReadonlyArray<Step>
}

const numbers = (count: number) => `generate_series(1, ${count}) AS n`

/** Rows that are nearly all alike, which tempts the planner to go through all of them. */
const fill = (count: number): ReadonlyArray<string> => [
  `INSERT INTO petstore_categories (id, name, name_key, version, deleted) SELECT n, 'c' || n, 'c' || n, 1, n > 2 FROM ${numbers(count)}`,
  `INSERT INTO petstore_pets (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, deleted)
    SELECT n, 'Rex', 1, 'available', 1, 1, 0, false, 1, 1, false FROM ${numbers(count)}`,
  `INSERT INTO petstore_orders (id, state, pet_id, quantity, ship_date, version) SELECT n, 'complete', 1, 1, '2026', 1 FROM ${numbers(count)}`,
  `INSERT INTO petstore_accounts (id, name, name_key, created_at) SELECT n, 'a' || n, 'a' || n, '2026' FROM ${numbers(count)}`,
  `INSERT INTO petstore_api_keys (id, account_id, name, scopes, created_at, digest, revoked)
    SELECT n, 1, 'key', '[]', '2026', decode(repeat('00', 32), 'hex'), n > 2 FROM ${numbers(count)}`,
  `INSERT INTO petstore_messages (id, message, status, created_at) SELECT 'msg_' || n, 'Hello', 'queued', '2026' FROM ${numbers(count)}`,
  `INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, actor, at)
    SELECT 1, n, 'set', 1, 0, 'owner', '2026' FROM ${numbers(count)}`,
  `INSERT INTO petstore_events (seq, id, type, subject, timestamp, data) SELECT n, 'evt_' || n, 'pet.deleted', 'pets/1', '2026', '{}' FROM ${numbers(count)}`
]

const fillings = { empty: 0, small: 100, large: 20_000 }

type Size = keyof typeof fillings

const modes = ["force_generic_plan", "force_custom_plan"] as const

/** A connection to a database of that size, analyzed, with the settings of the adapter. */
const open = (size: Size) =>
  Effect.gen(function* () {
    const url = yield* testDatabase
    yield* Effect.scoped(Layer.build(postgres(url).layer))
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = new pg.Client(url)
        await opened.connect()
        return opened
      }),
      (opened) => Effect.promise(() => opened.end())
    )
    yield* Effect.promise(async () => {
      await client.query("SET search_path = petstore")
      if (fillings[size] > 0) for (const text of fill(fillings[size])) await client.query(text)
      await client.query("VACUUM (ANALYZE)")
      await client.query("RESET search_path")
      await client.query(sessionSettings(5000, 30_000).session)
    })
    return client
  })

class Databases extends Context.Service<Databases, Readonly<Record<Size, pg.Client>>>()("Databases") {
  static readonly layer = Layer.effect(
    Databases,
    Effect.all({ empty: open("empty"), small: open("small"), large: open("large") })
  )
}

/** The elements of an array in the binary format of PostgreSQL, as `binaryArray` writes them. */
const elementsOf = (bytes: Buffer): ReadonlyArray<string> => {
  const type = bytes.readInt32BE(8)
  let at = 20
  return Array.from({ length: bytes.readInt32BE(12) }, () => {
    const length = bytes.readInt32BE(at)
    const element = bytes.subarray(at + 4, at + 4 + Math.max(length, 0))
    at += 4 + Math.max(length, 0)
    if (length < 0) return "NULL"
    if (type === 20) return String(element.readBigInt64BE())
    if (type === 16) return String(element[0] === 1)
    return type === 17 ? `'\\x${element.toString("hex")}'` : pg.escapeLiteral(element.toString())
  })
}

const literal = (value: Parameter, type: string | undefined): string => {
  if (value === null) return "NULL"
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value)
    return type === undefined ? `'\\x${bytes.toString("hex")}'` : `ARRAY[${elementsOf(bytes).join(", ")}]::${type}`
  }
  if (typeof value === "object") return `ARRAY[${value.map((one) => literal(one, undefined)).join(", ")}]`
  return typeof value === "string" ? pg.escapeLiteral(value) : String(value)
}

/** The plan of a prepared statement, both for these values and for any. */
const plansOf = async (client: pg.Client, { text, values }: Recorded): Promise<ReadonlyArray<Step>> => {
  const plans: Array<Step> = []
  for (const mode of modes) {
    await client.query(`SET plan_cache_mode = ${mode}`)
    await client.query(`PREPARE planned AS ${text}`)
    const list = values
      .map((value, index) => literal(value, new RegExp(`\\$${index + 1}::(\\w+\\[\\])`).exec(text)?.[1]))
      .join(", ")
    const { rows: found } = await client.query(
      `EXPLAIN (FORMAT JSON) EXECUTE planned${list === "" ? "" : ` (${list})`}`
    )
    await client.query("DEALLOCATE planned")
    plans.push(found[0]["QUERY PLAN"][0].Plan)
  }
  return plans
}

const below = (step: Step): ReadonlyArray<Step> => [step, ...(step.Plans ?? []).flatMap(below)]

const isScan = ({ "Node Type": type, "Relation Name": table }: Step): boolean =>
  table !== undefined && /Scan$/.test(type)

const scansOf = (step: Step): ReadonlyArray<Step> => below(step).filter(isScan)

/** The steps that a step reads all rows of: those that are not behind a limit. */
const readWhole = (step: Step): ReadonlyArray<Step> =>
  (step.Plans ?? []).flatMap((inner) => (inner["Node Type"] === "Limit" ? [] : [inner, ...readWhole(inner)]))

/** Checks the plans of statements in databases of all sizes. */
const eachPlan = (statements: ReadonlyArray<Recorded>, check: (plan: Step, description: string) => void) =>
  Effect.gen(function* () {
    const databases = yield* Databases
    yield* Effect.promise(async () => {
      for (const [size, client] of Object.entries(databases)) {
        for (const statement of statements) {
          for (const plan of await plansOf(client, statement)) {
            check(plan, `${statement.text}\nin a database that is ${size}:\n${JSON.stringify(plan, undefined, 1)}`)
          }
        }
      }
    })
  })

const page = { after: 7, limit: 20 }

const petQueries = [undefined, "available" as const].flatMap((status) =>
  [undefined, 3].flatMap((categoryId) =>
    [undefined, "", "Re", "\u{10FFFF}"].flatMap((name) =>
      [{ after: 0 }, { after: 7, afterName: "Rex" }].map((place) => ({ status, categoryId, name, ...place, limit: 20 }))
    )
  )
)

const orderQueries = [undefined, 3].flatMap((petId) =>
  [undefined, true, false].map((complete) => ({ petId, complete, ...page }))
)

const pet = { ...aPetRecord(), id: 1 }

layer(Databases.layer, { timeout: 60_000 })("how PostgreSQL finds rows", (it) => {
  it.effect(
    "a list reads a range of one index and sorts at most the rows of its page, whatever its filters and the data",
    () =>
      Effect.gen(function* () {
        const statements = yield* statementsOf((storage) => [
          ...petQueries.map(storage.pets.list),
          ...orderQueries.map(storage.orders.list),
          storage.categories.list(7, 20),
          storage.movements.list(3, 7, 20),
          storage.messages.list("msg_7", 20),
          storage.accounts.list(7, 20),
          storage.apiKeys.list(7, 20),
          storage.events.scan(7, 20),
          storage.pets.scan(7, 20),
          storage.categories.scan(7, 20),
          storage.orders.scan(7, 20),
          storage.movements.scan({ petId: 3, seq: 7 }, 20),
          storage.idempotency.scan({ accountId: 1, key: "a" }, 20),
          storage.imports.scan({ file: "a", seq: 7 }, 20)
        ])
        assert.strictEqual(statements.length, petQueries.length + orderQueries.length + 12)
        yield* eachPlan(statements, (plan, description) => {
          for (const scan of scansOf(plan)) {
            assert.match(scan["Node Type"], /^Index (Only )?Scan$/, description)
            assert.isDefined(scan["Index Cond"], description)
            // A condition that only filters reads and drops rows, but for tombstones.
            if (scan.Filter !== undefined) assert.match(scan.Filter, /^\(NOT (deleted|revoked)\)$/, description)
          }
          for (const sort of below(plan).filter(({ "Node Type": type }) => /Sort$/.test(type))) {
            assert.deepStrictEqual(readWhole(sort).filter(isScan), [], description)
          }
        })
      })
  )

  it.effect("the filtered lists of pets and orders read the index that is made for them", () =>
    Effect.gen(function* () {
      const filtered = petQueries.filter(({ categoryId, name, status }) => (status ?? categoryId ?? name) !== undefined)
      const statements = yield* statementsOf(({ orders, pets }) => [
        ...filtered.map(pets.list),
        ...orderQueries.map(orders.list)
      ])
      const expected = [
        ...filtered.map(
          ({ categoryId, name }) =>
            `petstore_pets${categoryId === undefined ? "" : "_category"}_status${name === undefined ? "" : "_name"}`
        ),
        ...orderQueries.map(({ petId }) => `petstore_orders_${petId === undefined ? "complete" : "pet"}`)
      ]
      const expectedOf = new Map(statements.map(({ text }, index) => [text, expected[index]]))
      yield* eachPlan(statements, (plan, description) => {
        const text = description.slice(0, description.indexOf("\nin a database"))
        for (const scan of scansOf(plan)) assert.strictEqual(scan["Index Name"], expectedOf.get(text), description)
      })
    })
  )

  it.effect("no look-up and no write goes through a table", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf((storage) => [
        storage.pets.find(1),
        storage.pets.lock(1),
        storage.pets.anyInCategory(1),
        storage.pets.saveStock(pet),
        storage.pets.save(pet),
        storage.pets.list({ ids: [1, 2, 3], after: 0, limit: 20 }),
        storage.pets.list({ ids: [1, 2, 3], name: "Re", status: "available", after: 0, limit: 20 }),
        storage.categories.find(1),
        storage.categories.findByName("dogs"),
        storage.categories.lock(1),
        storage.categories.lockShared(1),
        storage.orders.find(1),
        storage.orders.lock(1),
        storage.orders.save({ id: 1, version: 1, order: { state: "open", petId: 1, quantity: 1 } }),
        storage.messages.find("msg_1"),
        storage.accounts.find(1),
        storage.accounts.findByName("till"),
        storage.apiKeys.find(1),
        storage.apiKeys.touch(1, "2026"),
        storage.idempotency.lock(1, "a"),
        storage.imports.lock("a")
      ])
      assert.strictEqual(statements.length, 21)
      yield* eachPlan(statements, (plan, description) => {
        const scans = scansOf(plan)
        assert.isNotEmpty(scans, description)
        for (const scan of scans) {
          assert.match(scan["Node Type"], /^(Index (Only )?Scan|Bitmap (Heap|Index) Scan)$/, description)
          if (/^Index/.test(scan["Node Type"])) assert.isDefined(scan["Index Cond"], description)
        }
      })
    })
  )

  it.effect("no statement of a group goes through a table, however many rows it is about", () =>
    Effect.gen(function* () {
      const group = new GroupStatements("petstore")
      const order = { id: 1, version: 1, order: { state: "open", petId: 1, quantity: 1 } } as const
      const record = {
        accountId: 1,
        key: "a",
        operation: "o",
        fingerprint: new Uint8Array(32),
        result: "{}",
        createdAt: "2026"
      }
      const of = <A>(one: A) => [[one], [one, one, one]]
      const statements: ReadonlyArray<Recorded> = [
        ...[[1], [1, 2, 3]].flatMap((ids) =>
          [true, false].flatMap((waits) => [
            group.lockPets(ids, waits),
            group.lockOrders(ids, waits),
            group.shareCategories(ids, waits),
            group.lockPetsAndThoseOf(ids, ids, waits)
          ])
        ),
        ...of(pet).flatMap((pets) => [group.updatePets(pets), group.updatePetStocks(pets)]),
        ...of(order).map((orders) => group.updateOrders(orders)),
        group.findRecords(["1 a"]),
        group.findRecords(["1 a", "1 b", "2 a"]),
        ...of(record).map((records) => group.saveKeys(records))
      ]
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan)) {
          assert.match(scan["Node Type"], /^(Index (Only )?Scan|Bitmap (Heap|Index) Scan)$/, description)
          if (/^Index/.test(scan["Node Type"])) assert.isDefined(scan["Index Cond"], description)
        }
      })
    })
  )

  it.effect("another admin key is looked for among live admin keys alone", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(({ apiKeys }) => [apiKeys.otherAdminExists(1, "2026")])
      assert.strictEqual(statements.length, 1)
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan)) assert.strictEqual(scan["Index Name"], "petstore_api_keys_admin", description)
      })
    })
  )

  it.effect("old idempotency records are found by their age", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(({ idempotency }) => [idempotency.purge("2026", 20)])
      assert.strictEqual(statements.length, 1)
      yield* eachPlan(statements, (plan, description) => {
        const scans = scansOf(plan)
        assert.isTrue(
          scans.some((scan) => scan["Index Name"] === "petstore_idempotency_age"),
          description
        )
        for (const scan of scans) assert.notStrictEqual(scan["Node Type"], "Seq Scan", description)
      })
    })
  )

  it.effect("events are appended without reading the log", () =>
    Effect.gen(function* () {
      const event = {
        id: "evt_1",
        type: "pet.deleted",
        subject: "pets/1",
        timestamp: "2026",
        data: '{"id":1}'
      } as const
      const append = appendStatement("petstore")
      const { text } = append(Array.from({ length: 8 }, () => event))
      const statements = [append([event]), { text, values: Object.values(event).map((value) => [value]) }]
      yield* eachPlan(statements, (plan, description) => {
        const tables = scansOf(plan).map((scan) => scan["Relation Name"])
        assert.isNotEmpty(tables, description)
        assert.notInclude(tables, "petstore_events", description)
      })
    })
  )
})
