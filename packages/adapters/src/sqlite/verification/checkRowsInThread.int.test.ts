import { readdirSync, readFileSync } from "node:fs"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import * as threads from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { Storage, type StorageAdapter, VerificationProgress } from "@petstore/core/ports"
import { verifyStore } from "@petstore/core/services"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openStore } from "../store.ts"
import { checkRowsIn, WorkerConnections } from "./WorkerConnection.ts"

const limits = { ids: 2, facts: 3 }

/** A store whose rows are always checked in a thread: of the file itself, or of a copy. */
const threaded = (file: string, copied: boolean): StorageAdapter => ({
  name: "sqlite",
  layer: Layer.effect(
    Storage,
    Effect.map(
      openStore({ file, workerThreshold: -1, copyThreshold: copied ? -1 : Number.POSITIVE_INFINITY }),
      ({ store }) => store
    )
  )
})

/** A file with some of everything, and what damages it. */
const filled = (damage = "") =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    yield* Effect.promise(async () => {
      await using petstore = await createPetstore({ storage: threaded(file, false) })
      await petstore.categories.create({ name: "Dogs" })
      for (let id = 1; id <= 9; id++) {
        await petstore.pets.create({ name: `Dog ${id}`, categoryId: 1 })
        await petstore.orders.place({ petId: id, complete: id % 2 === 0 }, { idempotencyKey: `order-${id}` })
      }
      await petstore.orders.cancel(1)
      await petstore.pets.delete(1)
      await petstore.messages.enqueue("Hello")
    })
    const database = new DatabaseSync(file)
    database.exec(`PRAGMA ignore_check_constraints = ON; ${damage}`)
    database.close()
    return file
  })

const unkept = "DROP TRIGGER petstore_events_kept; UPDATE petstore_events SET"

const checker = (file: string) =>
  Effect.gen(function* () {
    const connections = new WorkerConnections()
    yield* Effect.addFinalizer(() => connections.close)
    const found = yield* connections.connectRowChecker(file, "petstore_")
    return { connections, checker: found ?? assert.fail("There is no such thread") }
  })

/** Runs something while the process has other threads, or none. */
const withThreads = async <A>(module: object | undefined, work: () => Promise<A>): Promise<A> => {
  const getBuiltinModule = process.getBuiltinModule
  Object.assign(process, {
    getBuiltinModule: (name: string) => (name === "node:worker_threads" ? module : getBuiltinModule.call(process, name))
  })
  try {
    return await work()
  } finally {
    Object.assign(process, { getBuiltinModule })
  }
}

/** The names of the threads that are started meanwhile. */
const threadsOf = async (work: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  class Worker extends threads.Worker {
    constructor(program: string | URL, options?: threads.WorkerOptions) {
      super(program, options)
      names.push(options?.name ?? "")
    }
  }
  await withThreads({ ...threads, Worker }, work)
  return names.sort()
}

/** A thread whose program cannot be loaded, as in a bundle that lacks a part of it. */
class Unloadable extends threads.Worker {
  constructor(program: string | URL, options?: threads.WorkerOptions) {
    if (typeof program === "string") super(program, options)
    else super("import 'missing'", { ...options, eval: true })
  }
}

/** The priorities of the threads of this process by their names, which the system cuts. Its first thread is "". */
const priorities = (): ReadonlyMap<string, number> =>
  new Map(
    readdirSync("/proc/self/task").map((id) => {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8")
      const end = stat.lastIndexOf(")")
      const name = id === String(process.pid) ? "" : stat.slice(stat.indexOf("(") + 1, end)
      return [name, Number(stat.slice(end + 2).split(" ")[16])]
    })
  )

describe("rows that are checked in another thread", () => {
  it.live.skipIf(process.platform !== "linux")("leave the processor to other threads, on Linux", () =>
    Effect.gen(function* () {
      const before = priorities().get("") ?? assert.fail("There is no first thread")
      const file = yield* filled()
      const { connections } = yield* checker(file)
      yield* connections.connect(file)
      const after = priorities()
      assert.strictEqual(after.get("petstore verifi"), Math.min(before + 5, 19))
      assert.strictEqual(after.get("petstore inspec"), Math.min(before + 5, 19))
      assert.strictEqual(after.get(""), before)
    })
  )

  for (const [what, damage] of [
    ["sound", ""],
    [
      "damaged",
      `UPDATE petstore_pets SET on_hand = 7, status = 'available' WHERE id = 3;
        ${unkept} data = replace(data, ',1]', ',2]') WHERE seq = 4;
        PRAGMA foreign_keys = OFF; UPDATE petstore_orders SET id = -5 WHERE id = 2`
    ]
  ] as const) {
    it.live(`give the results for a ${what} file that they give in this thread`, () =>
      Effect.gen(function* () {
        const file = yield* filled(damage)
        const { store } = yield* openStore({ file })
        const [here, there]: [Array<number>, Array<number>] = [[], []]
        const noting = (shares: Array<number>) =>
          Effect.provideService(VerificationProgress, (share: number) => void shares.push(share))
        const expected = yield* noting(here)(verifyStore(store, limits))
        assert.strictEqual(
          expected.every(({ violations }) => violations === 0),
          damage === ""
        )
        const { checker: opened } = yield* checker(file)
        assert.deepStrictEqual(yield* noting(there)(checkRowsIn(opened, limits)), expected)
        assert.isNotEmpty(here)
        assert.deepStrictEqual(there, here)
      })
    )
  }

  it.effect("are compared with the clock of the petstore", () =>
    Effect.gen(function* () {
      const { checker: opened } = yield* checker(
        yield* filled("UPDATE petstore_orders SET expires_at = '1972-01-01T00:00:00.000Z' WHERE id = 3")
      )
      const results = yield* checkRowsIn(opened, limits)
      assert.strictEqual(results.find(({ name }) => name === "reservations_end")?.violations, 1)
    })
  )

  it.live("fail as they fail in this thread if a row cannot be read", () =>
    Effect.gen(function* () {
      const file = yield* filled(`${unkept} data = 'none' WHERE seq = 4`)
      const { store } = yield* openStore({ file })
      const expected = yield* Effect.flip(verifyStore(store, limits))
      const { checker: opened } = yield* checker(file)
      const error = yield* Effect.flip(checkRowsIn(opened, limits))
      assert.strictEqual(error._tag, "InternalError")
      assert.strictEqual(error._tag, expected._tag)
      assert.match(String(error.cause), /The event 4 cannot be read: Unexpected token/)
    })
  )

  it.live("are left to this thread if the other one cannot open the file", () =>
    Effect.gen(function* () {
      const connections = new WorkerConnections()
      assert.isUndefined(yield* connections.connectRowChecker("/nowhere/petstore.db", "petstore_"))
      yield* connections.close
    })
  )

  it.live("fail with ShuttingDown when the store closes", () =>
    Effect.gen(function* () {
      const { checker: opened, connections } = yield* checker(yield* filled())
      const running = yield* Effect.forkChild(Effect.flip(checkRowsIn(opened, limits)), { startImmediately: true })
      yield* connections.close
      assert.propertyVal(yield* Fiber.join(running), "_tag", "ShuttingDown")
    })
  )

  for (const copied of [false, true]) {
    it.live(`are those of verify, beside the inspection of ${copied ? "a copy" : "the file"}`, () =>
      Effect.gen(function* () {
        const file = yield* filled()
        yield* Effect.promise(async () => {
          await using petstore = await createPetstore({ storage: threaded(file, copied) })
          const names = await threadsOf(async () => {
            const { checks, ok } = await petstore.verify()
            assert.isTrue(ok)
            assert.strictEqual(checks.find(({ name }) => name === "stock_in_bounds")?.checked, 9)
          })
          assert.deepStrictEqual(names, ["petstore inspection", "petstore verification"])
        })
      })
    )
  }

  for (const [what, module] of [
    ["there are no threads", undefined],
    ["its program cannot be loaded", { ...threads, Worker: Unloadable }]
  ] as const) {
    it.live(`are checked in this thread if ${what}`, () =>
      Effect.gen(function* () {
        const file = yield* filled("UPDATE petstore_pets SET on_hand = 7, status = 'available' WHERE id = 3")
        yield* Effect.promise(async () => {
          await using petstore = await createPetstore({ storage: threaded(file, true) })
          const { checks } = await withThreads(module, () => petstore.verify())
          assert.strictEqual(checks.find(({ name }) => name === "ledger_adds_up")?.violations, 1)
        })
      })
    )
  }
})
