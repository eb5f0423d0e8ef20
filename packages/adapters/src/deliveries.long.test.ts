import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type StorageAdapter } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import { deliveries } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { changeRow } from "../../core/test/support/writes.ts"
import { testDatabase } from "../test/support/postgres.ts"
import { startProgram } from "../test/support/program.ts"
import { temporaryFile } from "../test/support/temporary.ts"
import { postgres } from "./postgres/postgres.ts"
import { sqlite } from "./sqlite/sqlite.ts"

expectLogs(clearText)

const databases = {
  "a SQLite file": Effect.map(temporaryFile, (file) => ({
    adapter: sqlite(file) as StorageAdapter,
    storage: `sqlite:${file}`
  })),
  PostgreSQL: Effect.map(testDatabase, (url) => ({
    adapter: postgres(url) as StorageAdapter,
    storage: `postgres:${url}`
  }))
}

/** Lets the next attempt of a delivery be due, and its lease expire if it has one. `attempts`: how many it has had, if not as many as it says. */
const makeDue = ({ layer }: StorageAdapter, id: number, attempts?: number) =>
  Storage.pipe(
    Effect.flatMap((store) =>
      changeRow(store, deliveries, id, ({ delivery, lease, ...rest }) => ({
        ...rest,
        delivery: { ...delivery, attempts: attempts ?? delivery.attempts, nextAttemptAt: delivery.createdAt },
        lease: {
          fence: Math.max(lease.fence, attempts ?? 0),
          ...(lease.until === undefined ? {} : { until: delivery.createdAt })
        }
      }))
    ),
    Effect.provide(layer)
  )

for (const [name, database] of Object.entries(databases)) {
  describe(`given an event that ends each process that sends it, beside others, from ${name}`, () => {
    it.live(
      "then the first lost attempt does not count, each further one does, and its delivery has failed after the tenth",
      () =>
        Effect.gen(function* () {
          const { adapter, storage } = yield* database
          const petstore = yield* Effect.acquireRelease(
            Effect.promise(() => createPetstore({ storage: adapter })),
            (opened) => Effect.promise(() => opened.close())
          )
          yield* Effect.promise(() =>
            petstore.webhooks.create({ url: "https://example.com/hook", types: ["category.created"] })
          )
          const names = ["Dogs", "poison", "Cats"]
          for (const category of names) yield* Effect.promise(() => petstore.categories.create({ name: category }))
          const all = Effect.promise(async () => (await petstore.webhooks.deliveries(1)).items)
          const poisoned = Effect.map(all, (items) => items[1] ?? assert.fail("There is no delivery"))
          const seen: Array<string> = []
          for (let process = 1; process <= 5; process++) {
            const signal = yield* (yield* startProgram("meet-poisoned-event", storage)).exit
            const { attempts, failure, id, status } = yield* poisoned
            seen.push(`${signal} ${attempts} ${failure} ${status}`)
            for (const one of yield* all) {
              // Attempts before have failed otherwise.
              const had = process === 1 && one.id === id ? 8 : undefined
              if (one.status === "pending") yield* makeDue(adapter, one.id, had)
            }
          }
          assert.deepStrictEqual(seen, [
            "SIGKILL 0 undefined pending",
            "SIGKILL 8 attempt_lost pending",
            "0 9 attempt_lost pending",
            "SIGKILL 9 attempt_lost pending",
            "0 10 attempt_lost failed"
          ])
          assert.deepStrictEqual(
            (yield* all).map(({ attempts, status }) => [status, attempts]),
            [
              ["delivered", 1],
              ["failed", 10],
              ["delivered", 1]
            ]
          )
          const { webhook } = yield* Effect.promise(async () => ({ webhook: await petstore.webhooks.get(1) }))
          assert.isTrue(webhook.enabled)
          const { checks, ok } = yield* Effect.promise(() => petstore.verify())
          assert.isTrue(ok, JSON.stringify(checks.filter(({ violations }) => violations > 0)))
        })
    )
  })
}
