import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ContractCase } from "./ContractCase.ts"
import { formatReport, runContract } from "./runContract.ts"

const broken = new Error("It is broken")

const cases: ReadonlyArray<ContractCase> = [
  { group: "one", name: "fails", run: Effect.fail(broken) },
  { group: "one", name: "dies", run: Effect.die(broken) },
  { group: "two", name: "cannot be run", run: Effect.die("never"), skip: "there is no disk" },
  { group: "two", name: "holds", run: Effect.void }
]

describe("runContract", () => {
  it.effect("given cases that fail, die, are skipped and hold, it runs all and reports each", () =>
    Effect.gen(function* () {
      const { failed, ok, passed, skipped } = yield* runContract(cases)
      assert.isFalse(ok)
      assert.deepStrictEqual(passed, [{ group: "two", name: "holds" }])
      assert.deepStrictEqual(skipped, [{ group: "two", name: "cannot be run", reason: "there is no disk" }])
      assert.deepStrictEqual(
        failed.map(({ cause, name }) => [name, Cause.squash(cause)]),
        [
          ["fails", broken],
          ["dies", broken]
        ]
      )
    })
  )

  it.effect("given cases that hold or are skipped, it is ok", () =>
    Effect.gen(function* () {
      assert.isTrue((yield* runContract(cases.slice(2))).ok)
    })
  )

  it.effect("given no cases, as a misspelled filter leaves, it dies and says so", () =>
    Effect.gen(function* () {
      const none = cases.filter(({ group }) => group === "three")
      const exit = yield* Effect.exit(runContract(none))
      assert.match(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), /^TypeError: There are no cases to run/)
    })
  )

  it.effect("given a case that interrupts itself, it has failed", () =>
    Effect.gen(function* () {
      const report = yield* runContract([{ group: "one", name: "interrupts", run: Effect.interrupt }])
      assert.lengthOf(report.failed, 1)
    })
  )
})

describe("formatReport", () => {
  it.effect("given a report, it lists failed and skipped cases with the reasons, and counts them", () =>
    Effect.gen(function* () {
      const text = formatReport(yield* runContract(cases))
      assert.match(text, /^failed: one: fails\nError: It is broken\n {4}at /)
      assert.match(text, /\nfailed: one: dies\nError: It is broken\n/)
      assert.match(text, /\nskipped: two: cannot be run \(there is no disk\)\n1 passed, 2 failed, 1 skipped$/)
    })
  )
})
