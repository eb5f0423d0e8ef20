import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { contracts } from "../test/support/contracts.ts"
import { furnish } from "../test/support/furnish.ts"
import { type HostTrial, openPostgresTrial, openSqliteTrial, Trials } from "../test/support/HostTrials.ts"
import { readingCommands, writingCommands } from "../test/support/hostCommands.ts"
import { hostLibraryNames } from "../test/support/postgres/hostLibraries.ts"
import { HostStores } from "../test/support/postgres/hostStore.ts"
import { temporaryFileInMemory } from "../test/support/temporary.ts"
import { sqlite } from "./sqlite/sqlite.ts"

expectLogs(clearText)

const stores = new HostStores()
afterAll(() => stores.close(), 60_000)

const folder = mkdtempSync(join(tmpdir(), "petstore-"))
afterAll(() => rmSync(folder, { recursive: true }))

const template = (async () => {
  const file = join(folder, "template.db")
  const petstore = await createPetstore({ storage: sqlite(file) })
  await furnish(petstore)
  await petstore.close()
  return file
})()

/** A library on an engine. */
interface Row {
  readonly library: string
  readonly engine: string
  readonly open: Effect.Effect<() => Promise<HostTrial>, never, Scope.Scope>
}

const rows: ReadonlyArray<Row> = [
  ...["Kysely", "Drizzle", "synchronous Drizzle"].map((library) => ({
    library,
    engine: "SQLite",
    open: Effect.map(temporaryFileInMemory, (file) => {
      let copies = 0
      return async () => openSqliteTrial(library, await template, `${file}.${copies++}`)
    })
  })),
  ...hostLibraryNames.map((library) => ({
    library,
    engine: "PostgreSQL",
    open: Effect.succeed(() => openPostgresTrial(stores, library))
  }))
]

/** How the host ends its transaction while a call runs, and whether it begins another one at once. */
const ends = ["COMMIT", "ROLLBACK"].flatMap((end) => [[end], [end, "BEGIN"]])

/** The host goes on: what it has open now it commits, or else ends the transaction as it was going to. */
const lastAfter =
  (place: number, end: ReadonlyArray<string>) =>
  (statements: number): ReadonlyArray<string> =>
    statements <= place ? end.slice(0, 1) : end.length > 1 ? ["COMMIT"] : []

for (const { engine, library, open } of rows) {
  const test = (name: string, body: (trials: Trials) => Promise<void>): void =>
    it.live(name, () => Effect.flatMap(open, (openOne) => Effect.promise(() => body(new Trials(openOne)))))

  describe(`given a transaction of ${library} on ${engine} that ends while a call runs in it`, () => {
    for (const [name, command] of Object.entries(writingCommands)) {
      if (!contracts.isTriedIn(library, name)) continue
      test(`when it is ${name}, then that is there as a whole or not at all, and never said to be done if not`, async (trials) => {
        const { after, statements } = await trials.whole(command)
        for (let place = 0; place <= statements; place++) {
          for (const end of ends) {
            const what = `${end.join(" and ")} before statement ${place}`
            const called = await trials.call(command, [{ place, sql: end }], lastAfter(place, end))
            const isThere = await trials.isThere(after, what)
            // A call that had begun is not in the next transaction either.
            if (place > 0 && called.statements > place) assert.isFalse(isThere, what)
            // After its last statement the call is done, and the host has taken it back.
            const takenBack = called.statements <= place && end[0] === "ROLLBACK"
            assert.strictEqual(called.done, isThere || takenBack, `${what}: ${called.reason}`)
          }
        }
        const next = await trials.call(command)
        assert.isTrue(next.done, next.reason)
        assert.isTrue(await trials.isThere(after, "the next transaction"))
      })
    }

    test("when it is a call that changes nothing, then its result comes from the transaction alone", async (trials) => {
      for (const [name, command] of Object.entries(readingCommands)) {
        if (!contracts.isTriedIn(library, name)) continue
        const whole = await trials.call(command)
        assert.isTrue(whole.done, `${name}: ${whole.reason}`)
        for (let place = 0; place <= whole.statements; place++) {
          for (const end of ends) {
            const what = `${name}: ${end.join(" and ")} before statement ${place}`
            const called = await trials.call(command, [{ place, sql: end }], lastAfter(place, end))
            // Before its first statement it belongs to no transaction yet, and may begin in the next one.
            const beganInNext = end.length > 1 && place === 0
            // A transaction that postgres.js did not begin is on any of its connections.
            if (beganInNext && library === "postgres.js") continue
            assert.strictEqual(called.done, called.statements <= place || beganInNext, `${what}: ${called.reason}`)
          }
        }
      }
      assert.strictEqual(await (await trials.current()).rows(), trials.before)
      await trials.close()
    })
  })
}

describe("given a host that uses savepoints while a call runs", () => {
  for (const [name, command] of Object.entries(writingCommands)) {
    if (!contracts.isTriedWithSavepoints(name)) continue
    it(`when it rolls back to one of any moment at any other, then ${name} is there as a whole or not at all`, async () => {
      const trials = new Trials(() => openPostgresTrial(stores, "pg"))
      const { after, statements } = await trials.whole(command)
      for (let from = 0; from < statements; from++) {
        for (let to = from + 1; to <= statements; to++) {
          if (!contracts.isTriedBetween(from, to, statements)) continue
          const what = `a savepoint before statement ${from}, to which the host rolls back before ${to}`
          const back = ["ROLLBACK TO SAVEPOINT mine"]
          const called = await trials.call(
            command,
            [
              { place: from, sql: ["SAVEPOINT mine"] },
              { place: to, sql: back }
            ],
            (count) => [...(count <= to ? back : []), "COMMIT"]
          )
          const isThere = await trials.isThere(after, what)
          assert.isFalse(isThere, what)
          // If the call was done before the host rolled back, the host has taken it back, or may not commit.
          const takenBack = called.statements <= to && called.done
          assert.strictEqual(called.done, isThere || takenBack, `${what}: ${called.reason}`)
        }
      }
      await trials.close()
    })
  }
})
