import { assert, describe, it } from "@effect/vitest"
import { MessageRules } from "@petstore/core/domain"
import { messages } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { commandOf, startCommand } from "../../../test/support/program.ts"
import { addCategory, addPet, addRow, petNames } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openStore } from "../store.ts"

const message = (id: string) => MessageRules.queued(id, "x".repeat(16_000), "2026-01-01T00:00:00.000Z")

/** A store that has no room for another message. */
const full = Effect.gen(function* () {
  const { store, writer } = yield* openStore({ file: yield* temporaryFile })
  const categoryId = yield* store.run((tx) => addCategory(tx))
  yield* store.run((tx) => addPet(tx, categoryId, "Rex"))
  writer.database.exec("PRAGMA max_page_count = 1")
  return { store, categoryId, makeRoom: () => writer.database.exec("PRAGMA max_page_count = 100000") }
})

describe("a disk that is full", () => {
  it.effect("fails the write with StorageFull, changes nothing, and can be written to again when there is space", () =>
    Effect.gen(function* () {
      const { store, categoryId, makeRoom } = yield* full
      const error = yield* Effect.flip(
        store.run(function* (tx) {
          for (let n = 1; n <= 20; n++) yield* addRow(tx, messages, message(`msg_${n}`))
        })
      )
      assert.strictEqual(error._tag, "StorageFull")
      assert.deepStrictEqual(yield* store.scan(messages, [], 10), [])
      assert.deepStrictEqual(yield* petNames(store), ["Rex"])
      assert.deepStrictEqual(yield* store.inspect, [])
      makeRoom()
      yield* store.run((tx) => addRow(tx, messages, message("msg_1")))
      yield* store.run((tx) => addPet(tx, categoryId, "Max"))
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Max"])
    })
  )

  it.effect("acknowledges no transaction of a group that was not committed", () =>
    Effect.gen(function* () {
      const { store, makeRoom } = yield* full
      const ids = Array.from({ length: 30 }, (_, n) => `msg_${n + 10}`)
      const exits = yield* Effect.forEach(
        ids,
        (id) =>
          Effect.option(
            store.run(function* (tx) {
              tx.add(messages, message(id))
              return id
            })
          ),
        { concurrency: "unbounded" }
      )
      makeRoom()
      const done = exits.flatMap((exit) => (exit._tag === "Some" ? [exit.value] : []))
      assert.isBelow(done.length, ids.length)
      assert.deepStrictEqual(
        (yield* store.scan(messages, [], 100)).map(({ id }) => id),
        done
      )
    })
  )
})

describe("a disk that fails", () => {
  it.effect("growing a file over its limit fails with StorageFull, and everything acknowledged before is kept", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(openStore({ file }))
      // No file may grow over 600 KiB; the signal that says so is ignored, and the write fails.
      const limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 600; exec "$@"', "bash"] as const
      const writer = yield* startCommand([...limited, ...(yield* commandOf("write-pets", file, "1"))])
      const lines = yield* writer.rest
      assert.strictEqual(lines[0], "started")
      assert.strictEqual(lines.at(-1), "failed: StorageFull")
      const { store } = yield* openStore({ file })
      const names = yield* petNames(store)
      assert.deepStrictEqual(names.slice(0, lines.length - 2), lines.slice(1, -1))
      assert.isAtMost(names.length, lines.length - 1)
      assert.deepStrictEqual(yield* store.inspect, [])
    })
  )
})
