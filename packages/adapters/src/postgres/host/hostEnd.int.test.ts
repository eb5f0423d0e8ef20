import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { contracts } from "../../../test/support/contracts.ts"
import { writingCommands } from "../../../test/support/hostCommands.ts"
import { type Act, type HostTrial, hostEndCases, Trials } from "../../../test/support/hostEndCases.ts"
import { type HostLibraryName, hostLibraries } from "../../../test/support/postgres/hostLibraries.ts"
import { HostStores, reuseIds, rowsOf, shapeOf } from "../../../test/support/postgres/hostStore.ts"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import { sqlTransactionOf } from "./HostClient.ts"

expectLogs(clearText)

const stores = new HostStores()
afterAll(() => stores.close(), 60_000)

/** Runs statements as a host does: a COMMIT that is rejected is followed by a ROLLBACK. */
const runAll = async (run: (text: string) => Promise<unknown>, sql: ReadonlyArray<string>): Promise<boolean> => {
  let isDone = true
  for (const text of sql) {
    await run(text).catch(async () => {
      isDone = false
      await run("ROLLBACK").catch(() => {})
    })
  }
  return isDone
}

/** A transaction in which the host acts between the statements of a call; counts them. */
const interleaved = (
  { identity, rows }: SqlTransaction,
  acts: ReadonlyArray<Act>,
  run: (text: string) => Promise<unknown>
) => {
  const seen = { statements: 0 }
  const between: SqlTransaction["rows"] = async (statement, values) => {
    const place = seen.statements++
    for (const act of acts) if (act.place === place) await runAll(run, act.sql)
    return rows(statement, values)
  }
  return { seen, transaction: { identity, rows: between, run: between } }
}

/** A store with a host on this library. */
const openTrial = async (name: HostLibraryName): Promise<HostTrial> => {
  const store = await stores.open(name)
  const { library, petstore } = store
  return {
    rows: () => rowsOf(store),
    call: async (command, acts, last) => {
      await reuseIds(store)
      const host = await library.begin()
      const joined = sqlTransactionOf(host.transaction)
      if (typeof joined === "string") throw new Error(joined)
      const { seen, transaction } = interleaved(joined, acts, host.run)
      const [outcome] = await Promise.allSettled([command(petstore, transaction)])
      await runAll(host.run, last(seen.statements))
      await host.rollback().catch(() => {})
      const reason = outcome.status === "rejected" ? String(outcome.reason) : ""
      return { done: outcome.status === "fulfilled", reason, statements: seen.statements }
    },
    close: async () => {
      assert.isTrue((await petstore.verify()).ok)
      await store.close()
    }
  }
}

for (const name of Object.keys(hostLibraries) as ReadonlyArray<HostLibraryName>) {
  hostEndCases(name, {
    open: Effect.succeed(() => openTrial(name)),
    shapeOf,
    // A transaction that it did not begin is on any of its connections.
    beginsElsewhere: name === "postgres.js"
  })
}

describe("given a host that uses savepoints while a call runs", () => {
  for (const [name, command] of Object.entries(writingCommands)) {
    if (!contracts.isTriedWithSavepoints(name)) continue
    it(`when it rolls back to one of any moment at any other, then ${name} is there as a whole or not at all`, async () => {
      const trials = new Trials(() => openTrial("pg"), shapeOf)
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
