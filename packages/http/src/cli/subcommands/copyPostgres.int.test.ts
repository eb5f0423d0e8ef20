import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type StorageAdapter } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { query, testDatabase } from "../../../../adapters/test/support/postgres.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startPetstore } from "../../../test/support/PetstoreProcess.ts"
import { runPetstore } from "../../../test/support/runPetstore.ts"
import { dump, fillShop, trimShop } from "../../../test/support/shop.ts"

const copying = (from: string, to: string) => ["copy", "--from", from, "--to", to]

const ends = (args: ReadonlyArray<string>) =>
  Effect.map(runPetstore(args), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, stderr.join("\n"))
    return stdout.join("\n")
  })

const continues = (storage: StorageAdapter, next: number) =>
  Effect.promise(async () => {
    const petstore = await createPetstore({ storage })
    try {
      const latest = await petstore.events.latest()
      const again = await petstore.pets.create({ name: "Pet 3 🐈", categoryId: 1 }, { idempotencyKey: "pet-3" })
      assert.strictEqual(again.id, 4)
      assert.strictEqual((await petstore.pets.create({ name: "Next", categoryId: 1 })).id, next)
      assert.strictEqual((await petstore.orders.place({})).id, next)
      assert.isAbove(await petstore.events.latest(), latest)
      assert.isTrue((await petstore.verify()).ok)
    } finally {
      await petstore.close()
    }
  })

describe("petstore copy between SQLite and PostgreSQL", () => {
  it.live(
    "given a store from whose log events were removed, then there and back nothing is lost, and verify is clean",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const [first, second] = [join(folder, "first.db"), join(folder, "second.db")]
          const url = yield* testDatabase
          yield* fillShop(first, 20)
          const before = dump(first).petstore_events?.length ?? 0
          yield* trimShop(first)
          const expected = dump(first)
          assert.isBelow(expected.petstore_events?.length ?? 0, before)
          assert.isNotEmpty(expected.petstore_checkpoints)
          for (const [from, to] of [
            [`sqlite:${first}`, url],
            [url, `sqlite:${second}`]
          ] as const) {
            assert.match(yield* ends(copying(from, to)), /Every row was copied. 0 violations/)
          }
          assert.deepStrictEqual(dump(second), expected)
          yield* continues(postgres(url), 22)
          yield* continues(sqlite(second), 22)
        })
      )
  )

  it.live(
    "given a target whose connections break, when its schema is dropped, then the same command copies each row once, and ids go on",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const [file, back] = [join(folder, "pets.db"), join(folder, "back.db")]
          const url = yield* testDatabase
          yield* fillShop(file, 1_200)
          const others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
          const isConnected = Effect.map(
            Effect.promise(() => query(url, `SELECT pid ${others}`)),
            (rows) => rows.length > 0
          )
          let broken = 0
          const copy = yield* startPetstore(copying(`sqlite:${file}`, url))
          for (let time = 0; time < 4; time++) {
            yield* Effect.raceFirst(
              Effect.repeat(isConnected, { until: (is) => is, schedule: Schedule.spaced(20) }),
              copy.ended
            )
            yield* Effect.raceFirst(Effect.sleep(100 * time), copy.ended)
            broken += (yield* Effect.promise(() => query(url, `SELECT pg_terminate_backend(pid) ${others}`))).length
          }
          assert.isAbove(broken, 0)
          if ((yield* copy.ended) !== 0) {
            yield* Effect.promise(() => query(url, "DROP SCHEMA IF EXISTS petstore CASCADE"))
            yield* ends(copying(`sqlite:${file}`, url))
          }
          yield* ends(copying(url, `sqlite:${back}`))
          assert.deepStrictEqual(dump(back), dump(file))
          yield* continues(postgres(url), 1_202)
          yield* continues(sqlite(back), 1_202)
        })
      )
  )

  it.live(
    "given a log of accounts and API keys with gaps in its numbers, as after a crash, then the copies are whole",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const url = yield* testDatabase
          const newKey = ["keys", "create", "--account", "shop", "--preset", "read", "--storage", url]
          yield* ends(["migrate", "--storage", url])
          yield* ends(newKey)
          const skip =
            "SELECT nextval(pg_get_serial_sequence('petstore.petstore_access_log', 'seq')) FROM generate_series(1, 32)"
          yield* Effect.promise(() => query(url, skip))
          yield* ends(newKey)
          yield* ends(copying(url, `sqlite:${join(folder, "pets.db")}`))
          yield* ends([...copying(url, url), "--to-schema", "other"])
        })
      )
  )

  it.live(
    "given a schema and a role for it alone, then copies between schemas are whole, and used ones are refused",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const file = join(folder, "pets.db")
          const url = yield* testDatabase
          yield* fillShop(file, 10)
          yield* ends([...copying(`sqlite:${file}`, url), "--to-schema", "one"])
          yield* ends([...copying(url, url), "--from-schema", "one", "--to-schema", "two"])
          yield* ends([...copying(url, `sqlite:${join(folder, "back.db")}`), "--from-schema", "two"])
          assert.deepStrictEqual(dump(join(folder, "back.db")), dump(file))
          const used = yield* runPetstore([...copying(url, url), "--from-schema", "one", "--to-schema", "two"])
          assert.strictEqual(used.code, 2)
          assert.match(used.stderr.join(), /The target is not empty/)
          yield* Effect.promise(() => query(url, "INSERT INTO two.petstore_restore VALUES (1, 'half')"))
          const half = yield* runPetstore(["verify", "--storage", url, "--schema", "two"])
          assert.strictEqual(half.code, 1)
          assert.match(half.stderr.join(), /unfinished copy/)
          const served = yield* runPetstore(["serve", "--port", "0", "--storage", url, "--schema", "two"])
          assert.strictEqual(served.code, 1)
          assert.match(served.stderr.join(), /unfinished copy/)
          assert.notMatch(served.stderr.join(), /Next attempt/)
          const doctor = yield* ends(["doctor", "--storage", url, "--schema", "one"])
          assert.strictEqual(doctor, "-- The schema is as it should be.")
          const sql = yield* ends(["migrate", "--dry-run", "--storage", url, "--schema", "three"])
          yield* Effect.promise(() => query(url, sql))
          assert.strictEqual(
            yield* ends(["migrate", "--dry-run", "--storage", url, "--schema", "three"]),
            "-- The schema is up to date."
          )
        })
      )
  )
})
