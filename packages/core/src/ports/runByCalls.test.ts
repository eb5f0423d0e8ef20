import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Command, fail } from "../kernel/Command.ts"
import type { Log } from "../kernel/Table.ts"
import { pending, type Source, Transaction } from "../kernel/Transaction.ts"
import { runByCalls } from "./runByCalls.ts"

const notes: Log<string> = { name: "notes", rows: [] }

/** Runs a command whose log is read by calls, and returns its outcome and how many calls there were. */
const run = <E>(command: (tx: Transaction) => Command<unknown, E>) => {
  let calls = 0
  const tx = new Transaction({ last: () => pending } as Partial<Source> as Source)
  const call = Effect.sync(() => ++calls)
  const outcome = Effect.runSyncExit(
    runByCalls(
      tx,
      command(tx),
      () => call,
      (value) => Effect.succeed([value, "stored"])
    )
  )
  return { calls, outcome }
}

describe("given a command that waits for calls of the database", () => {
  it("when it ends, then each call has answered it, and its result is stored", () => {
    const { calls, outcome } = run(function* (tx) {
      return [yield* tx.last(notes), yield* tx.last(notes)]
    })
    assert.deepStrictEqual(outcome, Exit.succeed([[1, 2], "stored"]))
    assert.strictEqual(calls, 2)
  })

  it("when it fails, then nothing is stored, and no call follows", () => {
    const { calls, outcome } = run(function* (tx) {
      yield* tx.last(notes)
      yield* fail("full")
      yield* tx.last(notes)
    })
    assert.deepStrictEqual(outcome, Exit.fail("full"))
    assert.strictEqual(calls, 1)
  })
})
