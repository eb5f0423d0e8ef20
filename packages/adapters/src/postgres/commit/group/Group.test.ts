import { describe, expect, it } from "@effect/vitest"
import { CommitUnknown, StorageFull } from "@petstore/core/domain"
import { immediateRows, type Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { petRow, type Scripted, ScriptedConnection } from "../../../../test/support/scriptedConnection.ts"
import { error, known, reserve, runGroup, settings, store, value } from "../../../../test/support/scriptedGroup.ts"
import { ContendedRows } from "./ContendedRows.ts"
import { Group } from "./Group.ts"
import { taskOf, type Verdict } from "./Task.ts"

/** The ids in an array in the binary format. */
const idsIn = (array: unknown): ReadonlyArray<number> => {
  if (!(array instanceof Uint8Array)) return [Number(array)]
  const view = new DataView(array.buffer, array.byteOffset, array.byteLength)
  return Array.from({ length: view.getInt32(12) }, (_, index) => Number(view.getBigInt64(24 + 12 * index)))
}

const refusal = Effect.fail("no")
const serverError = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code })
const cut = () => new Error("Connection terminated unexpectedly")

describe("a group of transactions", () => {
  it("locks what all bodies want in one flight, and writes what they changed in another", async () => {
    const { connection, verdicts } = await runGroup([reserve(1), reserve(2), reserve(1)])
    expect(verdicts.map(value)).toEqual([1, 1, 2])
    expect(connection.matching(/^BEGIN|FOR NO KEY UPDATE|^UPDATE "petstore".petstore_pets|^COMMIT/)).toEqual([
      "1: BEGIN",
      "1: FOR NO KEY UPDATE",
      '2: UPDATE "petstore".petstore_pets',
      "2: COMMIT"
    ])
  })

  it("writes a change of one row without arrays", async () => {
    const { connection } = await runGroup([reserve(1)])
    expect(connection.matching(/unnest|ANY/)).toEqual([])
  })

  it("undoes a body that fails in memory, and the next one sees the row as it was", async () => {
    const failing = Effect.andThen(reserve(1), Effect.fail("no"))
    const { connection, verdicts } = await runGroup([reserve(1), failing, reserve(1)])
    expect([value(verdicts[0]), error(verdicts[1]), value(verdicts[2])]).toEqual([1, "no", 2])
    const update = connection.sent.find(({ text }) => text.startsWith("UPDATE"))
    expect(update?.values[4]).toBe(2)
  })

  it("rejects what the bodies before have used up, after the commit", async () => {
    const { connection, verdicts } = await runGroup([reserve(1), reserve(1)], {
      script: [{ when: /FROM "petstore".petstore_pets/, rows: [petRow(1, 1)] }]
    })
    expect([value(verdicts[0]), error(verdicts[1])]).toEqual([1, "sold out"])
    expect(connection.sent.at(-1)?.text).toBe("COMMIT")
  })

  it("sends nothing for bodies that do nothing", async () => {
    const { connection, verdicts } = await runGroup([Effect.succeed("done"), Effect.fail("no")])
    expect([value(verdicts[0]), error(verdicts[1]), connection.sent]).toEqual(["done", "no", []])
  })

  it("locks the pet of an order together with the order, after it", async () => {
    const amend = Effect.gen(function* () {
      const order = yield* store.orders.lock(7)
      if (order === undefined) return "none"
      yield* store.orders.save({ ...order, version: 2 })
      return yield* reserve(2)
    })
    const { connection, verdicts } = await runGroup([amend])
    expect(verdicts.map(value)).toEqual([1])
    expect(connection.matching(/SELECT (?:id, state|id, name)|^UPDATE "petstore".\w+|^COMMIT/)).toEqual([
      "1: SELECT id, state",
      "1: SELECT id, name",
      '2: UPDATE "petstore".petstore_orders',
      '2: UPDATE "petstore".petstore_pets',
      "2: COMMIT"
    ])
  })

  it("keeps what bodies have made of a pet when it locks an order for that pet later", async () => {
    const amend = Effect.gen(function* () {
      yield* reserve(1)
      yield* store.orders.lock(7)
      return yield* reserve(2)
    })
    const { verdicts } = await runGroup([reserve(2), amend], {
      script: [{ when: /petstore_pets(?!.*petstore_orders)/s, rows: [petRow(1), petRow(2)] }]
    })
    expect(verdicts.map(value)).toEqual([1, 2])
  })

  it("gives new rows ids of a block, and fetches the next block before it is used up", async () => {
    const place = store.orders.insert({ order: { state: "draft" }, version: 1 })
    const { connection, verdicts } = await runGroup([place, place])
    expect(verdicts.map(value)).toEqual([101, 102])
    expect(connection.matching(/nextval/)).toHaveLength(1)
  })

  it("given a body that is undone, the next row gets its id", async () => {
    const place = store.orders.insert({ order: { state: "draft" }, version: 1 })
    const { verdicts } = await runGroup([Effect.andThen(place, Effect.fail("no")), place, place])
    expect(verdicts.slice(1).map(value)).toEqual([101, 102])
  })

  it("keeps what a body has saved and added as it was, whatever the body does with its own objects", async () => {
    const at = "2026-01-01T00:00:00.000Z"
    const changing = Effect.gen(function* () {
      const read = yield* store.pets.lock(1)
      if (read === undefined) return
      const saved = { ...read, stock: { ...read.stock, reserved: 1 } }
      yield* store.pets.saveStock(saved)
      const movement = { petId: 1, seq: 2, kind: "reserved", deltaOnHand: 0, deltaReserved: 1, actor: "owner", at }
      yield* store.movements.append(movement as Parameters<typeof store.movements.append>[0])
      Object.assign(read.stock, { reserved: 9 })
      Object.assign(saved.stock, { reserved: 9 })
      movement.deltaReserved = 9
    })
    const reading = Effect.map(store.pets.lock(1), (pet) => {
      if (pet !== undefined) Object.assign(pet.stock, { reserved: 9 })
    })
    const { connection, verdicts } = await runGroup([changing, reading, reserve(1)])
    expect(value(verdicts[2])).toBe(2)
    const [movement] = connection.sent.filter(({ text }) => /^INSERT INTO \S+movements/.test(text))
    expect(movement?.values).not.toContain(9)
  })

  it("undoes what a body has saved more than once", async () => {
    const failing = Effect.andThen(Effect.andThen(reserve(1), reserve(1)), refusal)
    const { verdicts } = await runGroup([failing, reserve(1)])
    expect(value(verdicts[1])).toBe(1)
  })

  it("runs a body again alone that saves a row that another one has", async () => {
    const foreign = Effect.flatMap(store.pets.lock(1), (pet) =>
      pet === undefined ? Effect.void : Effect.as(store.pets.saveStock({ ...pet, id: 2 }), "saved")
    )
    const { connection, verdicts } = await runGroup([reserve(2), foreign])
    expect(verdicts[1]).toEqual({ type: "alone", isIrregular: true })
    const [update] = connection.sent.filter(({ text }) => /^UPDATE \S+pets/.test(text))
    expect(update?.values).toContain(2)
  })

  it("runs a body again that asks twice at once for a row that another one has", async () => {
    const twice = Effect.all([store.pets.lock(1), store.pets.lock(1)], { concurrency: "unbounded" })
    const { verdicts } = await runGroup([reserve(1), twice, reserve(1)])
    expect([value(verdicts[0]), value(verdicts[2])]).toEqual([1, 2])
    expect(value(verdicts[1])).toMatchObject([{ stock: { reserved: 2 } }, { stock: { reserved: 2 } }])
  })

  it("resolves two bodies that want each other's row at once", async () => {
    const both = (first: number, second: number) => Effect.andThen(reserve(first), reserve(second))
    const { connection, verdicts } = await runGroup([both(1, 2), both(2, 1)])
    expect(verdicts.map(value).sort()).toEqual([1, 2])
    expect(connection.matching(/FOR NO KEY UPDATE|^COMMIT/)).toEqual(["1: FOR NO KEY UPDATE", "2: COMMIT"])
  })

  it("leaves rows that another transaction has to a later flight only without waiting for them", async () => {
    const { connection, verdicts } = await runGroup([Effect.andThen(reserve(1), reserve(3)), reserve(1)], {
      script: [{ when: /FROM "petstore".petstore_pets.*SKIP LOCKED/s, rows: [] }]
    })
    expect(verdicts[0]).toEqual({ type: "alone", isIrregular: false })
    expect(value(verdicts[1])).toBe(1)
    expect(connection.matching(/FOR NO KEY UPDATE.*/)).toEqual([
      "1: FOR NO KEY UPDATE",
      "2: FOR NO KEY UPDATE SKIP LOCKED"
    ])
  })

  it("asks again for a row that another transaction had, when the next body wants it", async () => {
    const both = Effect.andThen(reserve(1), reserve(3))
    const { connection, verdicts } = await runGroup([both, both, reserve(1)], {
      script: [{ when: /FROM "petstore".petstore_pets.*SKIP LOCKED/s, rows: [] }]
    })
    expect(verdicts.map(({ type }) => type)).toEqual(["alone", "alone", "result"])
    expect(connection.matching(/FOR NO KEY UPDATE.*/)).toHaveLength(3)
  })

  it("makes a body leave that does something irregular, and keeps nothing of it", async () => {
    const listing = Effect.andThen(reserve(1), store.pets.list({ after: 0, limit: 10 }))
    const nested = Effect.andThen(reserve(1), Effect.exit(store.categories.lock(1)))
    const { verdicts } = await runGroup([listing, nested, reserve(1)])
    expect(verdicts.slice(0, 2)).toEqual([
      { type: "alone", isIrregular: true },
      { type: "alone", isIrregular: true }
    ])
    expect(value(verdicts[2])).toBe(1)
  })

  it("ends only the body that waits for something else than the store", async () => {
    const { verdicts } = await runGroup([Effect.andThen(reserve(1), Effect.sleep("1 hour")), reserve(1)])
    expect(verdicts[0]).toMatchObject({ type: "result", exit: { _tag: "Failure" } })
    expect(value(verdicts[1])).toBe(1)
  })
})

describe("bodies whose first row is known", () => {
  const first = { table: "pets", id: 1 } as const

  /** Reserves a unit, and notes that it has started. */
  const noted = (starts: Array<number>) =>
    Effect.suspend(() => {
      starts.push(starts.length)
      return reserve(1)
    })

  it("start when the group has locked it, one after another, each with what those before it have left", async () => {
    const starts: Array<number> = []
    const { connection, verdicts } = await runGroup([noted(starts), noted(starts), noted(starts)], {
      first,
      script: [
        {
          when: /^BEGIN/,
          get rows() {
            expect(starts).toEqual([])
            return []
          }
        }
      ]
    })
    expect(verdicts.map(value)).toEqual([1, 2, 3])
    expect(starts).toHaveLength(3)
    expect(connection.matching(/FOR NO KEY UPDATE|^COMMIT/)).toEqual(["1: FOR NO KEY UPDATE", "2: COMMIT"])
  })

  it("get at once what the group holds, in each turn, and an effect of what it does not", async () => {
    const { events, orders, pets } = immediateRows(store)
    const event = { id: "evt_1", type: "pet.deleted", subject: "pets/1", timestamp: "", data: { id: 1 } } as const
    const seen: Array<boolean> = []
    const note = <E extends Effect.Effect<unknown, unknown, Transaction>>(call: E): E => {
      seen.push(Exit.isExit(call))
      return call
    }
    const body = Effect.suspend(() =>
      Effect.flatMap(note(pets.lock(1)), () =>
        Effect.flatMap(note(orders.insert({ order: { state: "draft" }, version: 1 })), () => note(events.append(event)))
      )
    )
    const ids: Scripted = { when: /nextval/, rows: [{ id: 101 }] }
    const { connection, verdicts } = await runGroup([body], { first, script: [ids] })
    expect(verdicts.map(({ type }) => type)).toEqual(["result"])
    expect(seen).toEqual([true, false, true])
    expect(connection.matching(/^INSERT INTO \S+orders|petstore_log_end|^COMMIT/)).toHaveLength(3)
    note(pets.lock(1))
    expect(seen.at(-1)).toBe(false)
  })

  it("lock an order with its pet", async () => {
    const both = Effect.andThen(store.orders.lock(7), reserve(2))
    const { connection, verdicts } = await runGroup([both], { first: { table: "orders", id: 7 } })
    expect(verdicts.map(value)).toEqual([1])
    expect(connection.matching(/^BEGIN|SELECT id, (?:state|name)|^COMMIT/)).toEqual([
      "1: BEGIN",
      "1: SELECT id, state",
      "1: SELECT id, name",
      "2: COMMIT"
    ])
  })

  it("run, and find nothing, if there is no such row", async () => {
    const { verdicts } = await runGroup([reserve(3)], { first: { table: "pets", id: 3 } })
    expect(error(verdicts[0])).toBe("no such pet")
  })

  it("run alone, without having started, if another transaction keeps the row", async () => {
    const starts: Array<number> = []
    const { verdicts } = await runGroup([noted(starts), noted(starts)], {
      first,
      waits: false,
      script: [{ when: /FROM "petstore".petstore_pets.*SKIP LOCKED/s, rows: [] }]
    })
    expect(verdicts).toEqual(Array.from({ length: 2 }, () => ({ type: "alone", isIrregular: false })))
    expect(starts).toEqual([])
  })

  it("run again, without having started, if the connection is lost before the row is locked", async () => {
    const starts: Array<number> = []
    const script = [{ when: /FOR NO KEY UPDATE/, error: cut() }]
    const { connection, verdicts } = await runGroup([noted(starts), noted(starts)], { first, script })
    expect(verdicts).toEqual([{ type: "again" }, { type: "again" }])
    expect([starts, connection.broken]).toEqual([[], true])
  })
})

describe("a group of many transactions", () => {
  /** Places an order for a pet, with an id for each. */
  const place = (petId: number) =>
    Effect.gen(function* () {
      const reserved = yield* reserve(petId)
      const id = yield* store.orders.insert({ order: { state: "open", petId, quantity: 1 }, version: 1 })
      const at = "2026-01-01T00:00:00.000Z"
      const kind = { kind: "reserved", deltaOnHand: 0, deltaReserved: 1, actor: "owner", at } as const
      yield* store.movements.append({ ...kind, petId, seq: reserved, orderId: id })
      return id
    })
  const ids: Scripted = { when: /nextval/, rows: Array.from({ length: 64 }, (_, index) => ({ id: 101 + index })) }
  const plenty: Scripted = { when: /FROM "petstore".petstore_pets/, rows: [petRow(1, 100), petRow(2, 100)] }
  const many = (length: number) => Array.from({ length }, (_, index) => place(1 + (index % 2)))
  const written = /^(?:INSERT INTO|UPDATE) "petstore".petstore_(\w+)|^COMMIT/

  it("writes what half of them have added while the others decide, and each row once", async () => {
    const { connection, verdicts } = await runGroup(many(32), { script: [ids, plenty] })
    expect(verdicts.map(value)).toEqual(Array.from({ length: 32 }, (_, index) => 101 + index))
    expect(connection.matching(written)).toEqual([
      '3: INSERT INTO "petstore".petstore_orders',
      '3: INSERT INTO "petstore".petstore_movements',
      '3: INSERT INTO "petstore".petstore_orders',
      '3: INSERT INTO "petstore".petstore_movements',
      '3: UPDATE "petstore".petstore_pets',
      "3: COMMIT"
    ])
    const orders = connection.sent.filter(({ text }) => /^INSERT INTO \S+orders/.test(text))
    const movements = connection.sent.filter(({ text }) => /^INSERT INTO \S+movements/.test(text))
    expect(movements.map(({ values: [first] }) => idsIn(first).length)).toEqual([16, 16])
    expect(orders.map(({ values: [first] }) => idsIn(first))).toEqual([
      Array.from({ length: 16 }, (_, index) => 101 + index),
      Array.from({ length: 16 }, (_, index) => 117 + index)
    ])
  })

  it("writes all at the end if they are few", async () => {
    const { connection } = await runGroup(many(30), { script: [ids, plenty] })
    expect(connection.matching(/^INSERT INTO \S+orders/)).toHaveLength(1)
  })

  it("writes nothing of a body that fails, and updates what a later one changes of a row that is written", async () => {
    const failing = Effect.andThen(place(1), refusal)
    const changing = Effect.gen(function* () {
      yield* store.pets.lock(1)
      const order = yield* store.orders.lock(102)
      if (order !== undefined) yield* store.orders.save({ ...order, version: 2 })
      return order?.version
    })
    const { connection, verdicts } = await runGroup([failing, ...many(31), changing], { script: [ids, plenty] })
    expect([error(verdicts[0]), value(verdicts[1]), value(verdicts[32])]).toEqual(["no", 102, 1])
    const orders = connection.sent.filter(({ text }) => /^INSERT INTO \S+orders/.test(text))
    expect(orders.flatMap(({ values: [first] }) => idsIn(first)).sort()).toEqual(
      verdicts.slice(1, 32).map(value).sort()
    )
    expect(connection.matching(/^UPDATE \S+orders/)).toHaveLength(1)
  })

  it("writes early what a body has left of a row that another one has, and nothing of a body that still runs", async () => {
    const running = Effect.gen(function* () {
      yield* store.orders.insert({ order: { state: "draft" }, version: 1 })
      yield* store.pets.lock(2)
      return yield* refusal
    })
    const changing = Effect.gen(function* () {
      yield* store.pets.lock(1)
      const order = yield* store.orders.lock(102)
      if (order !== undefined) yield* store.orders.save({ ...order, version: 2 })
      yield* store.pets.lock(2)
    })
    const bodies = [running, place(1), changing, ...Array.from({ length: 30 }, () => place(2))]
    const { connection, verdicts } = await runGroup(bodies, { script: [ids, plenty] })
    expect([error(verdicts[0]), value(verdicts[1])]).toEqual(["no", 102])
    const orders = connection.sent.filter(({ text }) => /^INSERT INTO \S+orders/.test(text))
    const [early = [], late = []] = orders.map(({ values: [first] }) => idsIn(first))
    expect(early).toContain(102)
    expect([...early, ...late]).not.toContain(101)
    expect(connection.matching(/^UPDATE \S+orders/)).toHaveLength(1)
  })

  it("writes nothing before it has begun", async () => {
    const draft = store.orders.insert({ order: { state: "draft" }, version: 1 })
    const tasks = Array.from({ length: 32 }, () => taskOf(Context.empty(), draft))
    const shared = settings()
    shared.ids.orders.add(Array.from({ length: 64 }, (_, index) => 101 + index))
    const connection = new ScriptedConnection(known)
    await new Group(shared, connection, tasks, true).run()
    expect(connection.sent[0]?.text).toBe("BEGIN")
    expect(connection.matching(/^INSERT INTO \S+orders/)).toHaveLength(1)
  })

  it.each([
    ["commits", []],
    ["locks more rows", [Effect.andThen(reserve(1), reserve(2))]]
  ])("runs every body alone when what was written early is rejected, and the group %s", async (_, more) => {
    const rejected: Scripted = { when: /^INSERT INTO \S+orders/, error: serverError("23503") }
    const aborted: Scripted = { when: /^INSERT|^UPDATE|^COMMIT|SKIP LOCKED/, error: serverError("25P02") }
    const script = [rejected, aborted, ids, { ...plenty, rows: [petRow(1, 100)] }]
    const bodies = [...Array.from({ length: 32 }, (_, index) => (index < 16 ? place(1) : reserve(1))), ...more]
    const { connection, group, verdicts } = await runGroup(bodies, { script })
    expect(new Set(verdicts.map(({ type }) => type))).toEqual(new Set(["alone"]))
    expect(group.failure?.cause).toMatchObject({ code: "23503" })
    expect(connection.sent.at(-1)?.text).toBe("ROLLBACK")
  })

  it("writes nothing early if the server has rejected its locks", async () => {
    const draft = store.orders.insert({ order: { state: "draft" }, version: 1 })
    const shared = settings()
    shared.ids.orders.add(Array.from({ length: 64 }, (_, index) => 101 + index))
    const bodies = Array.from({ length: 32 }, (_, index) => (index < 16 ? draft : reserve(1)))
    const tasks = bodies.map((body) => taskOf<unknown, unknown, Transaction>(Context.empty(), body))
    const connection = new ScriptedConnection([{ when: /FOR NO KEY UPDATE/, error: serverError("40P01") }])
    const verdicts = await new Group(shared, connection, tasks, true).run()
    expect(new Set(verdicts.map(({ type }) => type))).toEqual(new Set(["again"]))
    expect(connection.matching(/^INSERT/)).toEqual([])
  })

  it("does not know the outcome when the connection is lost after COMMIT, although all rows were written early", async () => {
    const draft = store.orders.insert({ order: { state: "draft" }, version: 1 })
    const bodies = Array.from({ length: 32 }, (_, index) =>
      index < 16 ? draft : Effect.andThen(store.pets.lock(1), refusal)
    )
    const { verdicts } = await runGroup(bodies, { script: [{ when: /^COMMIT/, error: cut() }, ids, plenty] })
    expect(error(verdicts[0])).toBeInstanceOf(CommitUnknown)
    expect(verdicts[31]?.type).toBe("again")
  })
})

describe("a group whose transaction the server does not commit", () => {
  const types = (verdicts: ReadonlyArray<Verdict>) => verdicts.map(({ type }) => type)

  it("runs every body alone when a statement is rejected, so that only the culprit fails", async () => {
    const { connection, group, verdicts } = await runGroup([reserve(1), refusal], {
      script: [{ when: /^UPDATE/, error: serverError("23514") }]
    })
    expect([types(verdicts), group.committed]).toEqual([["alone", "alone"], false])
    expect(connection.sent.at(-1)?.text).toBe("ROLLBACK")
  })

  it("runs every body alone when COMMIT rolls back", async () => {
    const { group, verdicts } = await runGroup([reserve(1)], { script: [{ when: /^COMMIT/, command: "ROLLBACK" }] })
    expect([types(verdicts), group.committed]).toEqual([["alone"], false])
  })

  it.each(["40001", "40P01"])("runs again after the conflict %s", async (code) => {
    const { verdicts } = await runGroup([reserve(1)], { script: [{ when: /^UPDATE/, error: serverError(code) }] })
    expect(types(verdicts)).toEqual(["again"])
  })

  it("runs again without waiting when it has waited too long for a lock", async () => {
    const { verdicts } = await runGroup([reserve(1), reserve(2)], {
      script: [{ when: /FOR NO KEY UPDATE$/, error: serverError("55P03") }]
    })
    expect(types(verdicts)).toEqual(["again", "again"])
    const { connection } = await runGroup([reserve(1)], { waits: false })
    expect(connection.matching(/FOR NO KEY UPDATE.*/)).toEqual(["1: FOR NO KEY UPDATE SKIP LOCKED"])
  })

  it("given a row that a group has waited for in vain, the next groups do not wait for it, and only for it", async () => {
    const contended = new ContendedRows()
    const waitsOfGroup = async (id: number) => {
      const { connection } = await runGroup([reserve(id)], { contended })
      return connection.matching(/FOR NO KEY UPDATE.*/)
    }
    const skipped = [{ when: /SKIP LOCKED/, rows: [] }]
    const second: Scripted = { when: /FOR NO KEY UPDATE$/, rows: [petRow(2)] }
    await runGroup([Effect.andThen(reserve(2), reserve(1))], { contended, script: [second, ...skipped] })
    expect(await waitsOfGroup(1)).toEqual(["1: FOR NO KEY UPDATE"])
    await runGroup([reserve(1)], { contended, script: skipped, waits: false })
    expect(await waitsOfGroup(1)).toEqual(["1: FOR NO KEY UPDATE SKIP LOCKED"])
    expect(await waitsOfGroup(2)).toEqual(["1: FOR NO KEY UPDATE"])
  })

  it("fails every body when the server has no space", async () => {
    const { verdicts } = await runGroup([reserve(1), reserve(2)], {
      script: [{ when: /^UPDATE/, error: serverError("53100") }]
    })
    expect(verdicts.map(error)).toEqual([expect.any(StorageFull), expect.any(StorageFull)])
  })

  it("runs again when the connection is lost before COMMIT was sent", async () => {
    const { connection, verdicts } = await runGroup([reserve(1)], {
      script: [{ when: /FOR NO KEY UPDATE$/, error: cut() }]
    })
    expect([types(verdicts), connection.broken]).toEqual([["again"], true])
  })

  it("ends the bodies that wait when the connection is lost", async () => {
    let ended = 0
    const body = Effect.ensuring(
      reserve(1),
      Effect.sync(() => ended++)
    )
    await runGroup([body, body], { script: [{ when: /FOR NO KEY UPDATE$/, error: cut() }] })
    expect(ended).toBe(2)
  })

  it("does not know the outcome of bodies that wrote when the connection is lost after COMMIT was sent", async () => {
    const undone = Effect.andThen(store.idempotency.purge("2026-01-01T00:00:00.000Z", 1), refusal)
    const { connection, verdicts } = await runGroup([reserve(1), refusal, undone, store.pets.lock(1)], {
      script: [{ when: /^UPDATE|^COMMIT/, error: cut() }]
    })
    expect(error(verdicts[0])).toBeInstanceOf(CommitUnknown)
    // Of these nothing was written, and they may have been decided on what is lost.
    expect([types(verdicts), connection.broken]).toEqual([["result", "again", "again", "again"], true])
  })

  it("does not know the outcome when a warning comes with the commit", async () => {
    const { connection, group, verdicts } = await runGroup([reserve(1), refusal], {
      script: [{ when: /^COMMIT/, warning: "canceling wait for synchronous replication due to user request" }]
    })
    expect(error(verdicts[0])).toBeInstanceOf(CommitUnknown)
    expect([verdicts[1]?.type, group.committed, connection.broken]).toEqual(["again", false, true])
  })

  it("runs again what wrote nothing when a warning comes with the commit: what it has read may be lost", async () => {
    const { connection, verdicts } = await runGroup([Effect.andThen(store.pets.lock(1), refusal)], {
      script: [{ when: /^COMMIT/, warning: "canceling wait for synchronous replication due to user request" }]
    })
    expect([types(verdicts), connection.broken]).toEqual([["again"], true])
  })

  it("forgets the ids that it has fetched when it cannot commit: the next server may give them to others", async () => {
    const place = store.orders.insert({ order: { state: "draft" }, version: 1 })
    const task = taskOf(Context.empty(), place)
    const warning = "canceling wait for synchronous replication due to user request"
    for (const outcome of [{ error: cut() }, { warning }]) {
      const lost = settings()
      await new Group(lost, new ScriptedConnection([{ when: /^COMMIT/, ...outcome }, ...known]), [task], true).run()
      expect(lost.ids.orders.take()).toBeUndefined()
    }
    const committed = settings()
    await new Group(committed, new ScriptedConnection(known), [task], true).run()
    expect(committed.ids.orders.take()).toBe(102)
  })
})
