import { afterAll, assert, describe, it } from "@effect/vitest"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { contracts } from "../../../test/support/contracts.ts"
import { type HostCommand, readingCommands, writingCommands } from "../../../test/support/hostCommands.ts"
import { type HostLibraryName, hostLibraries } from "../../../test/support/postgres/hostLibraries.ts"
import { type HostStore, HostStores, reuseIds, rowsOf, shapeOf } from "../../../test/support/postgres/hostStore.ts"
import type { SqlTransaction } from "../../sql/SqlTransaction.ts"
import { sqlTransactionOf } from "./HostClient.ts"

expectLogs(clearText)

const stores = new HostStores()
afterAll(() => stores.close(), 60_000)

/** What a host does before the statement of this number. */
interface Act {
  readonly place: number
  readonly sql: ReadonlyArray<string>
}

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

/** Calls something while the host acts, which finally commits or does `last`. */
const callWhile = async (
  { library, petstore }: HostStore,
  command: HostCommand,
  acts: ReadonlyArray<Act>,
  last: (statements: number) => ReadonlyArray<string> = () => ["COMMIT"]
) => {
  const host = await library.begin()
  const joined = sqlTransactionOf(host.transaction)
  if (typeof joined === "string") throw new Error(joined)
  const { seen, transaction } = interleaved(joined, acts, host.run)
  const [outcome] = await Promise.allSettled([command(petstore, transaction)])
  const committed = await runAll(host.run, last(seen.statements))
  await host.rollback().catch(() => {})
  const reason = outcome.status === "rejected" ? String(outcome.reason) : ""
  return { done: outcome.status === "fulfilled", committed, reason, statements: seen.statements }
}

/** How the host ends its transaction while a call runs, and whether it begins another one at once. */
const ends = ["COMMIT", "ROLLBACK"].flatMap((end) => [[end], [end, "BEGIN"]])

/** The host goes on: what it has open now it commits, or else ends the transaction as it was going to. */
const lastAfter =
  (place: number, end: ReadonlyArray<string>) =>
  (statements: number): ReadonlyArray<string> =>
    statements <= place ? end.slice(0, 1) : end.length > 1 ? ["COMMIT"] : []

/** A store to try a command on, replaced after the command had an effect. */
class Trials {
  private readonly name: HostLibraryName
  private store: HostStore | undefined
  before = ""

  constructor(name: HostLibraryName) {
    this.name = name
  }

  async current(): Promise<HostStore> {
    if (this.store === undefined) {
      this.store = await stores.open(this.name)
      this.before = await rowsOf(this.store)
    }
    await reuseIds(this.store)
    return this.store
  }

  /** Whether the command had its effect, which is all or nothing. */
  async isThere(after: string, what: string): Promise<boolean> {
    const rows = await rowsOf(await this.current())
    if (rows === this.before) return false
    assert.strictEqual(shapeOf(rows), after, what)
    await this.close()
    return true
  }

  async close(): Promise<void> {
    if (this.store === undefined) return
    assert.isTrue((await this.store.petstore.verify()).ok)
    await this.store.close()
    this.store = undefined
  }
}

/** What the command does when nobody disturbs it. */
const wholeOf = async (trials: Trials, command: HostCommand) => {
  const store = await trials.current()
  const { done, reason, statements } = await callWhile(store, command, [])
  assert.isTrue(done, reason)
  const after = shapeOf(await rowsOf(store))
  assert.notStrictEqual(after, shapeOf(trials.before))
  await trials.close()
  return { after, statements }
}

for (const library of Object.keys(hostLibraries) as ReadonlyArray<HostLibraryName>) {
  describe(`given a transaction of ${library} that ends while a call runs in it`, () => {
    for (const [name, command] of Object.entries(writingCommands)) {
      if (!contracts.isTriedIn(library, name)) continue
      it(`when it is ${name}, then that is there as a whole or not at all, and never said to be done if not`, async () => {
        const trials = new Trials(library)
        const { after, statements } = await wholeOf(trials, command)
        for (let place = 0; place <= statements; place++) {
          for (const end of ends) {
            const what = `${end.join(" and ")} before statement ${place}`
            const store = await trials.current()
            const called = await callWhile(store, command, [{ place, sql: end }], lastAfter(place, end))
            const isThere = await trials.isThere(after, what)
            // A call that had begun is not in the next transaction either.
            if (place > 0 && called.statements > place) assert.isFalse(isThere, what)
            // After its last statement the call is done, and the host has taken it back.
            const takenBack = called.statements <= place && end[0] === "ROLLBACK"
            assert.strictEqual(called.done, isThere || takenBack, `${what}: ${called.reason}`)
          }
        }
        // The next transaction works.
        const next = await callWhile(await trials.current(), command, [])
        assert.isTrue(next.done, next.reason)
        assert.isTrue(await trials.isThere(after, "the next transaction"))
      })
    }

    it("when it is a call that changes nothing, then its result comes from the transaction alone", async () => {
      const trials = new Trials(library)
      const store = await trials.current()
      for (const [name, command] of Object.entries(readingCommands)) {
        if (!contracts.isTriedIn(library, name)) continue
        const whole = await callWhile(store, command, [])
        assert.isTrue(whole.done, `${name}: ${whole.reason}`)
        for (let place = 0; place <= whole.statements; place++) {
          for (const end of ends) {
            const what = `${name}: ${end.join(" and ")} before statement ${place}`
            const called = await callWhile(store, command, [{ place, sql: end }], lastAfter(place, end))
            // Before its first statement it belongs to no transaction yet, and may begin in the next one.
            const beganInNext = end.length > 1 && place === 0
            // That of postgres.js is on any of its connections then, because it did not begin it.
            if (beganInNext && library === "postgres.js") continue
            assert.strictEqual(called.done, called.statements <= place || beganInNext, `${what}: ${called.reason}`)
          }
        }
      }
      assert.strictEqual(await rowsOf(store), trials.before)
      await trials.close()
    })
  })
}

describe("given a host that uses savepoints while a call runs", () => {
  for (const [name, command] of Object.entries(writingCommands)) {
    if (!contracts.isTriedWithSavepoints(name)) continue
    it(`when it rolls back to one of any moment at any other, then ${name} is there as a whole or not at all`, async () => {
      const trials = new Trials("pg")
      const { after, statements } = await wholeOf(trials, command)
      for (let from = 0; from < statements; from++) {
        for (let to = from + 1; to <= statements; to++) {
          if (!contracts.isTriedBetween(from, to, statements)) continue
          const what = `a savepoint before statement ${from}, to which the host rolls back before ${to}`
          const back = ["ROLLBACK TO SAVEPOINT mine"]
          const called = await callWhile(
            await trials.current(),
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
