import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { contracts } from "./contracts.ts"
import { type HostCommand, readingCommands, writingCommands } from "./hostCommands.ts"

/** What a host does while a call runs: statements of its own before the statement of this number. */
export interface Act {
  readonly place: number
  readonly sql: ReadonlyArray<string>
}

interface Called {
  readonly done: boolean
  /** Why it failed. */
  readonly reason: string
  /** How many statements it ran. */
  readonly statements: number
}

/** A store with a host that begins transactions in it. */
export interface HostTrial {
  /** Every committed row of the store. */
  readonly rows: () => Promise<string>
  /** Makes a call in a transaction while the host acts, which finally does `last`. */
  readonly call: (
    command: HostCommand,
    acts: ReadonlyArray<Act>,
    last: (statements: number) => ReadonlyArray<string>
  ) => Promise<Called>
  /** Verifies the store, and closes it. */
  readonly close: () => Promise<void>
}

interface Host {
  readonly open: Effect.Effect<() => Promise<HostTrial>, never, Scope.Scope>
  /** What of the rows is the same each time that a call is done: times, identities and secrets are not. */
  readonly shapeOf: (rows: string) => string
  /** Whether a transaction that the host begins by hand is another one for the library. */
  readonly beginsElsewhere?: boolean
}

/** Stores to try commands on, each replaced after a command had an effect on it. */
export class Trials {
  private readonly open: () => Promise<HostTrial>
  private readonly shapeOf: Host["shapeOf"]
  private trial: HostTrial | undefined
  before = ""

  constructor(open: () => Promise<HostTrial>, shapeOf: Host["shapeOf"]) {
    this.open = open
    this.shapeOf = shapeOf
  }

  async current(): Promise<HostTrial> {
    if (this.trial === undefined) {
      this.trial = await this.open()
      this.before = await this.trial.rows()
    }
    return this.trial
  }

  async call(
    command: HostCommand,
    acts: ReadonlyArray<Act> = [],
    last: (statements: number) => ReadonlyArray<string> = () => ["COMMIT"]
  ): Promise<Called> {
    return (await this.current()).call(command, acts, last)
  }

  /** What a command does when nobody disturbs it. */
  async whole(command: HostCommand) {
    const { done, reason, statements } = await this.call(command)
    assert.isTrue(done, reason)
    const after = this.shapeOf(await (await this.current()).rows())
    assert.notStrictEqual(after, this.shapeOf(this.before))
    await this.close()
    return { after, statements }
  }

  /** Whether the command had its effect, which is all or nothing. */
  async isThere(after: string, what: string): Promise<boolean> {
    const rows = await (await this.current()).rows()
    if (rows === this.before) return false
    assert.strictEqual(this.shapeOf(rows), after, what)
    await this.close()
    return true
  }

  async close(): Promise<void> {
    await this.trial?.close()
    this.trial = undefined
  }
}

/** How the host ends its transaction while a call runs, and whether it begins another one at once. */
const ends = ["COMMIT", "ROLLBACK"].flatMap((end) => [[end], [end, "BEGIN"]])

/** The host goes on: what it has open now it commits, or else ends the transaction as it was going to. */
const lastAfter =
  (place: number, end: ReadonlyArray<string>) =>
  (statements: number): ReadonlyArray<string> =>
    statements <= place ? end.slice(0, 1) : end.length > 1 ? ["COMMIT"] : []

/** The tests of transactions that end while a call runs in them, of one library. */
export const hostEndCases = (library: string, { beginsElsewhere = false, open, shapeOf }: Host): void => {
  const test = (name: string, body: (trials: Trials) => Promise<void>): void =>
    it.live(name, () =>
      Effect.scoped(Effect.flatMap(open, (openOne) => Effect.promise(() => body(new Trials(openOne, shapeOf)))))
    )

  describe(`given a transaction of ${library} that ends while a call runs in it`, () => {
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
            if (beganInNext && beginsElsewhere) continue
            assert.strictEqual(called.done, called.statements <= place || beganInNext, `${what}: ${called.reason}`)
          }
        }
      }
      assert.strictEqual(await (await trials.current()).rows(), trials.before)
      await trials.close()
    })
  })
}
