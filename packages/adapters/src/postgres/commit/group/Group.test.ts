import { describe, expect, it } from "@effect/vitest"
import { CommitUnknown, StorageFull } from "@petstore/core/domain"
import type { EventToAppend } from "@petstore/core/ports"
import * as tables from "@petstore/core/tables"
import { aMovement, anOrderRecord } from "@petstore/testing"
import { petRow, type Scripted } from "../../../../test/support/scriptedConnection.ts"
import {
  both,
  type Command,
  draft,
  error,
  refusal,
  reserve,
  runGroup,
  settings,
  types,
  value
} from "../../../../test/support/scriptedGroup.ts"
import { ContendedRows } from "./ContendedRows.ts"

/** The ids in an array in the binary format. */
const idsIn = (array: unknown): ReadonlyArray<number> => {
  if (!(array instanceof Uint8Array)) return [Number(array)]
  const view = new DataView(array.buffer, array.byteOffset, array.byteLength)
  return Array.from({ length: view.getInt32(12) }, (_, index) => Number(view.getBigInt64(24 + 12 * index)))
}

const serverError = (code: string) => Object.assign(new Error(`SQLSTATE ${code}`), { code })
const cut = () => new Error("Connection terminated unexpectedly")

/** Locks a row, and returns whether there is one. */
const lock = (table: "orders" | "pets", id: number): Command<boolean> =>
  function* (tx) {
    return (yield* table === "orders" ? tx.lock(tables.orders, id) : tx.lock(tables.pets, id)) !== undefined
  }

/** Changes an order, and returns the version that it had. */
const amend = (id: number): Command<number | undefined> =>
  function* (tx) {
    const order = yield* tx.lock(tables.orders, id)
    if (order !== undefined) tx.save(tables.orders, { ...order, version: 2 })
    return order?.version
  }

const skipsPets: Scripted = { when: /FROM "petstore".petstore_pets.*SKIP LOCKED/s, rows: [] }

describe("given commands in a group", () => {
  it("when they want rows, then one flight locks those of all, and another writes what they changed", async () => {
    const { connection, verdicts } = await runGroup([reserve(1), reserve(2), reserve(1)])
    expect(verdicts.map(value)).toEqual([1, 1, 2])
    expect(connection.matching(/^BEGIN|FOR NO KEY UPDATE|^UPDATE "petstore".petstore_pets|^COMMIT/)).toEqual([
      "1: BEGIN",
      "1: FOR NO KEY UPDATE",
      '2: UPDATE "petstore".petstore_pets',
      "2: COMMIT"
    ])
  })

  it("when a row is missing, then its command runs again from its start, and no other one does", async () => {
    const runs: Array<string> = []
    const noted =
      <A>(name: string, command: Command<A>): Command<A> =>
      (tx) => {
        runs.push(name)
        return command(tx)
      }
    await runGroup([
      noted("refusal", refusal),
      noted("one", reserve(1)),
      noted("two", both(reserve(2), lock("orders", 7)))
    ])
    expect(runs).toEqual(["refusal", "one", "two", "one", "two", "two"])
  })

  it("when one row changes, then it is written without arrays", async () => {
    const { connection } = await runGroup([reserve(1)])
    expect(connection.matching(/unnest|ANY/)).toEqual([])
  })

  it.each<readonly [string, Command, unknown]>([
    ["fails", both(reserve(1), refusal), "no"],
    [
      "throws",
      both(reserve(1), function* () {
        throw new Error("oops")
      }),
      undefined
    ],
    [
      "records what cannot be stored",
      both(reserve(1), function* (tx) {
        tx.append(tables.ledger, [aMovement()])
        tx.append(tables.events, [{ data: { id: 1n } } as unknown as EventToAppend])
      }),
      undefined
    ]
  ])(
    "when one %s, then nothing of it is kept, and the next one sees the row as it was",
    async (_, failing, failure) => {
      const { connection, verdicts } = await runGroup([reserve(1), failing, reserve(1)])
      expect([value(verdicts[0]), value(verdicts[2])]).toEqual([1, 2])
      expect(verdicts[1]).toMatchObject({ type: "result", exit: { _tag: "Failure" } })
      if (failure !== undefined) expect(error(verdicts[1])).toBe(failure)
      const update = connection.sent.find(({ text }) => text.startsWith("UPDATE"))
      expect(update?.values).toEqual([1, 2])
      expect(connection.matching(/^INSERT|petstore_log_end/)).toEqual([])
    }
  )

  it("when those before have used a row up, then one is rejected, after the commit", async () => {
    const { connection, verdicts } = await runGroup([reserve(1), reserve(1)], {
      script: [{ when: /FROM "petstore".petstore_pets/, rows: [petRow(1, 1)] }]
    })
    expect([value(verdicts[0]), error(verdicts[1])]).toEqual([1, "sold out"])
    expect(connection.sent.at(-1)?.text).toBe("COMMIT")
  })

  it("when they do nothing, then nothing is sent", async () => {
    const { connection, verdicts } = await runGroup([refusal, refusal])
    expect([verdicts.map(error), connection.sent]).toEqual([["no", "no"], []])
  })

  it("when one finds no row, then it goes on without", async () => {
    const { verdicts } = await runGroup([reserve(3)])
    expect(error(verdicts[0])).toBe("no such pet")
  })

  it("when one wants an order, then its pet is locked together with it, after it", async () => {
    const { connection, verdicts } = await runGroup([both(amend(7), reserve(2))])
    expect(verdicts.map(value)).toEqual([1])
    expect(connection.matching(/SELECT (?:id, state|id, name)|^UPDATE "petstore".\w+|^COMMIT/)).toEqual([
      "1: SELECT id, state",
      "1: SELECT id, name",
      '2: UPDATE "petstore".petstore_orders',
      '2: UPDATE "petstore".petstore_pets',
      "2: COMMIT"
    ])
  })

  it("when one locks an order for a pet later, then what others have made of the pet stays", async () => {
    const { verdicts } = await runGroup([reserve(2), both(both(reserve(1), lock("orders", 7)), reserve(2))], {
      script: [{ when: /petstore_pets(?!.*petstore_orders)/s, rows: [petRow(1), petRow(2)] }]
    })
    expect(verdicts.map(value)).toEqual([1, 2])
  })

  it("when they want each other's row, then they run one after another", async () => {
    const { connection, verdicts } = await runGroup([both(reserve(1), reserve(2)), both(reserve(2), reserve(1))])
    expect(verdicts.map(value)).toEqual([1, 2])
    expect(connection.matching(/FOR NO KEY UPDATE|^COMMIT/)).toEqual(["1: FOR NO KEY UPDATE", "2: COMMIT"])
  })

  it("when one says which rows it locks, then one flight locks them all", async () => {
    const announced: Command<number> = function* (tx) {
      yield* tx.lockAll(tables.pets, [1, 2])
      return yield* both(reserve(1), reserve(2))(tx)
    }
    const { connection, verdicts } = await runGroup([announced])
    expect(verdicts.map(value)).toEqual([1])
    expect(connection.matching(/FOR NO KEY UPDATE|^COMMIT/)).toEqual(["1: FOR NO KEY UPDATE", "2: COMMIT"])
  })

  it("when another transaction has a row that one wants later, then that one alone leaves, and nobody waits", async () => {
    const late = both(reserve(1), reserve(3))
    const { connection, verdicts } = await runGroup([late, late, reserve(1)], { script: [skipsPets] })
    expect(verdicts.slice(0, 2)).toEqual(Array.from({ length: 2 }, () => ({ type: "alone", isIrregular: false })))
    expect(value(verdicts[2])).toBe(1)
    expect(connection.matching(/FOR NO KEY UPDATE.*/)).toEqual([
      "1: FOR NO KEY UPDATE",
      "2: FOR NO KEY UPDATE SKIP LOCKED"
    ])
  })

  it.each<readonly [string, Command]>([
    [
      "finds a row without a lock",
      function* (tx) {
        yield* tx.find(tables.pets, 2)
      }
    ],
    [
      "changes a category",
      function* (tx) {
        yield* tx.lock(tables.categories, 1)
      }
    ],
    [
      "selects rows",
      function* (tx) {
        yield* tx.first(tables.categoriesByName, "dogs")
      }
    ],
    [
      "adds a row with a unique name",
      function* (tx) {
        const account = (id: number) => ({ id, name: "Ann", createdAt: "" })
        yield* tx.insert(tables.accounts, (id) => ({ account: account(id), nameKey: "ann" }))
      }
    ],
    [
      "adds a row that groups do not write",
      function* (tx) {
        tx.add(tables.apiKeys, { key: { id: 1 } } as never)
      }
    ]
  ])("when one %s, then it leaves, and nothing of it is kept", async (_, irregular) => {
    const commands = [both(reserve(1), irregular), irregular, both(draft, irregular), reserve(1), draft]
    const { verdicts } = await runGroup(commands)
    expect(verdicts.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ({ type: "alone", isIrregular: true })))
    expect(verdicts.slice(3).map(value)).toEqual([1, 101])
  })
})

describe("given commands of a group that add rows", () => {
  it("then these get ids of a block, and the next block is fetched before it is used up", async () => {
    const { connection, verdicts } = await runGroup([draft, draft])
    expect(verdicts.map(value)).toEqual([101, 102])
    expect(connection.matching(/nextval/)).toHaveLength(1)
  })

  it("when one of them fails, then the next row gets its id", async () => {
    const { verdicts } = await runGroup([both(both(draft, draft), refusal), draft, both(lock("pets", 1), draft)])
    expect(verdicts.slice(1).map(value)).toEqual([101, 102])
  })

  it("when one needs more ids than were fetched, then it runs again with more", async () => {
    const shared = settings()
    shared.ids.orders?.add([1])
    const several: Command<number> = function* (tx) {
      yield* draft(tx)
      const rows = Array.from({ length: 20 }, () => (id: number) => anOrderRecord({ id, order: { state: "draft" } }))
      return (yield* tx.insertAll(tables.orders, rows)).length
    }
    const script = [{ when: /nextval/, rows: Array.from({ length: 21 }, (_, index) => ({ id: 101 + index })) }]
    const { connection, verdicts } = await runGroup([several, refusal, draft], { script, shared })
    expect([value(verdicts[0]), value(verdicts[2])]).toEqual([20, 1])
    const fetched = connection.sent.filter(({ text }) => text.includes("nextval"))
    expect(fetched.map(({ values }) => values)).toEqual([[21]])
  })
})

describe("given a group of many commands", () => {
  /** Places an order for a pet, with an id for each. */
  const place = (petId: number): Command<number> =>
    function* (tx) {
      const seq = yield* reserve(petId)(tx)
      const { id } = yield* tx.insert(tables.orders, (id) =>
        anOrderRecord({ id, order: { state: "open", petId, quantity: 1 } })
      )
      tx.append(tables.ledger, [aMovement({ petId, seq, orderId: id })])
      return id
    }
  const ids: Scripted = { when: /nextval/, rows: Array.from({ length: 64 }, (_, index) => ({ id: 101 + index })) }
  const plenty: Scripted = { when: /FROM "petstore".petstore_pets/, rows: [petRow(1, 100), petRow(2, 100)] }
  const many = (length: number) => Array.from({ length }, (_, index) => place(1 + (index % 2)))
  const written = /^(?:INSERT INTO|UPDATE) "petstore".petstore_(\w+)|^COMMIT/

  it("then each kind of change is one statement, whatever the order of the commands", async () => {
    const { connection, verdicts } = await runGroup(many(64), { script: [ids, plenty] })
    expect(verdicts.map(value)).toEqual(Array.from({ length: 64 }, (_, index) => 101 + index))
    expect(connection.matching(written)).toEqual([
      '3: INSERT INTO "petstore".petstore_orders',
      '3: INSERT INTO "petstore".petstore_movements',
      '3: UPDATE "petstore".petstore_pets',
      "3: COMMIT"
    ])
  })

  it("when one fails, and a later one changes a row that another has added, then each row is written once", async () => {
    const commands = [both(place(1), refusal), ...many(31), both(lock("pets", 1), amend(102))]
    const { connection, verdicts } = await runGroup(commands, { script: [ids, plenty] })
    expect([error(verdicts[0]), value(verdicts[1]), value(verdicts[32])]).toEqual(["no", 101, 1])
    const [orders, ...more] = connection.sent.filter(({ text }) => /^(?:INSERT INTO|UPDATE) \S+orders/.test(text))
    expect([idsIn(orders?.values[0]), more]).toEqual([verdicts.slice(1, 32).map(value), []])
  })
})

describe("given a group whose transaction the server does not commit", () => {
  it("when a statement is rejected, then every command runs alone, so that only the culprit fails", async () => {
    const { connection, group, verdicts } = await runGroup([reserve(1), refusal], {
      script: [{ when: /^UPDATE/, error: serverError("23514") }]
    })
    expect([types(verdicts), group.committed]).toEqual([["alone", "alone"], false])
    expect(connection.sent.at(-1)?.text).toBe("ROLLBACK")
  })

  it("when COMMIT rolls back, then every command runs alone", async () => {
    const { group, verdicts } = await runGroup([reserve(1)], { script: [{ when: /^COMMIT/, command: "ROLLBACK" }] })
    expect([types(verdicts), group.committed]).toEqual([["alone"], false])
  })

  it.each(["40001", "40P01"])("when it is the conflict %s, then it runs again", async (code) => {
    const { verdicts } = await runGroup([reserve(1)], { script: [{ when: /^UPDATE/, error: serverError(code) }] })
    expect(types(verdicts)).toEqual(["again"])
  })

  it("when it has waited too long for a lock, then it runs again without waiting", async () => {
    const { verdicts } = await runGroup([reserve(1), reserve(2)], {
      script: [{ when: /FOR NO KEY UPDATE$/, error: serverError("55P03") }]
    })
    expect(types(verdicts)).toEqual(["again", "again"])
    const { connection } = await runGroup([reserve(1)], { waits: false })
    expect(connection.matching(/FOR NO KEY UPDATE.*/)).toEqual(["1: FOR NO KEY UPDATE SKIP LOCKED"])
  })

  it("when a group has waited for a row in vain, then the next ones do not wait for it, and only for it", async () => {
    const contended = new ContendedRows()
    const waitsOfGroup = async (id: number) => {
      const { connection } = await runGroup([reserve(id)], { shared: settings(contended) })
      return connection.matching(/FOR NO KEY UPDATE.*/)
    }
    const skipped = [{ when: /SKIP LOCKED/, rows: [] }]
    const second: Scripted = { when: /FOR NO KEY UPDATE$/, rows: [petRow(2)] }
    await runGroup([both(reserve(2), reserve(1))], { shared: settings(contended), script: [second, ...skipped] })
    expect(await waitsOfGroup(1)).toEqual(["1: FOR NO KEY UPDATE"])
    await runGroup([reserve(1)], { shared: settings(contended), script: skipped, waits: false })
    expect(await waitsOfGroup(1)).toEqual(["1: FOR NO KEY UPDATE SKIP LOCKED"])
    expect(await waitsOfGroup(2)).toEqual(["1: FOR NO KEY UPDATE"])
  })

  it("when the server has no space, then every command fails", async () => {
    const { verdicts } = await runGroup([reserve(1), reserve(2)], {
      script: [{ when: /^UPDATE/, error: serverError("53100") }]
    })
    expect(verdicts.map(error)).toEqual([expect.any(StorageFull), expect.any(StorageFull)])
  })

  it.each([
    ["it begins", /^BEGIN/],
    ["it locks", /FOR NO KEY UPDATE$/]
  ])("when the connection is lost as %s, then it runs again", async (_, when) => {
    const { connection, verdicts } = await runGroup([reserve(1), refusal], { script: [{ when, error: cut() }] })
    expect([types(verdicts), connection.broken]).toEqual([["again", "again"], true])
  })

  it("when the connection is lost after COMMIT was sent, then the outcome of commands that wrote is unknown", async () => {
    const undone: Command = function* (tx) {
      tx.purge(tables.idempotencyKeys, "2026-01-01T00:00:00.000Z", 1)
      yield* refusal(tx)
    }
    const { connection, verdicts } = await runGroup([reserve(1), refusal, undone, lock("pets", 1)], {
      script: [{ when: /^UPDATE|^COMMIT/, error: cut() }]
    })
    expect(error(verdicts[0])).toBeInstanceOf(CommitUnknown)
    // Of these nothing was written, and they may have been decided on what is lost.
    expect([types(verdicts), connection.broken]).toEqual([["result", "again", "again", "again"], true])
  })

  const warned: Scripted = {
    when: /^COMMIT/,
    warning: "canceling wait for synchronous replication due to user request"
  }

  it("when a warning comes with the commit, then the outcome is unknown", async () => {
    const { connection, group, verdicts } = await runGroup([reserve(1), refusal], { script: [warned] })
    expect(error(verdicts[0])).toBeInstanceOf(CommitUnknown)
    expect([verdicts[1]?.type, group.committed, connection.broken]).toEqual(["again", false, true])
  })

  it("when a warning comes with the commit, then what wrote nothing runs again: what it has read may be lost", async () => {
    const { connection, verdicts } = await runGroup([both(lock("pets", 1), refusal)], { script: [warned] })
    expect([types(verdicts), connection.broken]).toEqual([["again"], true])
  })

  it("when it cannot commit, then it forgets the ids that it has fetched: the next server may give them to others", async () => {
    for (const script of [[{ when: /^COMMIT/, error: cut() }], [warned]]) {
      const lost = settings()
      await runGroup([draft], { script, shared: lost })
      expect(lost.ids.orders?.take(1)).toBeUndefined()
    }
    const committed = settings()
    await runGroup([draft], { shared: committed })
    expect(committed.ids.orders?.take(1)).toEqual([102])
  })
})
