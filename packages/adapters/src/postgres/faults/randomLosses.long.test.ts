import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import pg from "pg"
import { tcpProxy } from "../../../test/support/postgres/TcpProxy.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { startProgram } from "../../../test/support/program.ts"
import { randomOf } from "../../../test/support/random.ts"

const seed = Number(process.env.PETSTORE_TEST_LOSS_SEED ?? 1)
const losses = Number(process.env.PETSTORE_TEST_LOSSES ?? 30)

const terminateOne =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 3"

describe("given a process that uses a database in every way", () => {
  it.live("when its connections are ended and cut at any moment, then it goes on, and every rule holds", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const proxy = yield* tcpProxy(url)
      const program = yield* startProgram("survive-losses", proxy.url(url))
      assert.strictEqual(yield* program.line, "started")
      yield* Effect.promise(async () => {
        const random = randomOf(seed)
        const admin = new pg.Client(url)
        await admin.connect()
        for (let n = 0; n < losses && program.process.exitCode === null; n++) {
          await sleep(random() * 200)
          const kind = random()
          if (kind < 0.6) await admin.query(terminateOne)
          else if (kind < 0.8) proxy.cut("reset")
          else if (kind < 0.9) proxy.cut("end")
          else {
            proxy.refuse()
            await sleep(random() * 300)
            proxy.accept()
          }
        }
        await admin.end()
      })
      yield* program.send("stop")
      // Before it is the log.
      const report = (yield* program.rest).at(-1) ?? "{}"
      assert.strictEqual(yield* program.exit, 0, `PETSTORE_TEST_LOSS_SEED=${seed}: ${report}`)
      const { codes, counts, ok } = JSON.parse(report)
      assert.isTrue(ok)
      for (const code of codes) assert.include(["storage_busy", "storage_unavailable", "commit_unknown"], code)
      for (const [way, { done }] of Object.entries<{ readonly done: number }>(counts)) assert.isAbove(done, 0, way)
      if (process.env.PETSTORE_TEST_LOSSES !== undefined) console.log(report)
    })
  )
})
