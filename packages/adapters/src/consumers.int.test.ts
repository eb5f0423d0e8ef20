import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore, type StorageAdapter } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { testDatabase } from "../test/support/postgres.ts"
import { type Program, startProgram } from "../test/support/program.ts"
import { temporaryFile } from "../test/support/temporary.ts"
import { postgres } from "./postgres/postgres.ts"
import { sqlite } from "./sqlite/sqlite.ts"

interface Database {
  readonly adapter: StorageAdapter
  /** Names it for the programs. */
  readonly storage: string
}

const opened = (adapter: StorageAdapter): Effect.Effect<Petstore, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: adapter })),
    (petstore) => Effect.promise(() => petstore.close())
  )

const events = 12

const add = (petstore: Petstore, first: number, last: number) =>
  Effect.promise(async () => {
    for (let n = first; n <= last; n++) await petstore.categories.create({ name: `Category ${n}` })
  })

/** Reads what a program writes up to this line. */
const until = (program: Program, line: string) =>
  Effect.gen(function* () {
    const read: Array<string> = []
    for (;;) {
      const next = yield* program.line
      if (next === undefined) return assert.fail(`The program ended before it wrote ${line}`)
      read.push(next)
      if (next === line) return read
    }
  })

const numbered = (lines: ReadonlyArray<string>, word: string): ReadonlyArray<number> =>
  lines.flatMap((line) => (line.startsWith(`${word} `) ? [Number(line.split(" ")[1])] : []))

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** When to kill the process that handles the events. */
interface Window {
  readonly when: string
  readonly millis: string
  readonly failing?: string
  readonly at: string
  /** Also waits until the store has this position. */
  readonly recorded?: number
}

const windows: ReadonlyArray<Window> = [
  { when: "while it handles an event", millis: "20", at: "begin 5" },
  { when: "after it has handled an event, before that is recorded", millis: "0", at: "end 7" },
  { when: "after the position was recorded", millis: "120", at: "end 4", recorded: 2 },
  { when: "while an event waits to be tried again", millis: "0", failing: "6", at: "failed 6" }
]

const recordedAt = (petstore: Petstore, position: number) =>
  Effect.promise(async () => {
    for (;;) {
      const consumer = await petstore.events.consumers.get("invoices")
      if (consumer.position >= position) return consumer.position
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

const survives = ({ adapter, storage }: Database, { at, failing = "", millis, recorded = 0 }: Window) =>
  Effect.gen(function* () {
    const petstore = yield* opened(adapter)
    yield* add(petstore, 1, events - 2)
    const holder = yield* startProgram("consume-events", storage, millis, failing)
    const before = yield* until(holder, at)
    // It waits for its turn.
    const next = yield* startProgram("consume-events", storage)
    assert.deepStrictEqual(yield* until(next, "open"), ["open"])
    yield* recordedAt(petstore, recorded)
    holder.process.kill("SIGKILL")
    const killed = [...before, ...(yield* holder.rest)]
    const position = yield* recordedAt(petstore, 0)
    yield* add(petstore, events - 1, events)
    const after = yield* until(next, `end ${events}`)

    const [first, second] = [numbered(killed, "end"), numbered(after, "end")]
    // Each in order without a gap, the second from behind what the first has recorded, which is no more than it has handled.
    assert.deepStrictEqual(first, from(1, first.length))
    assert.deepStrictEqual(second, from(position + 1, events))
    assert.isAtMost(position, first.length)
    assert.isAtLeast(position, recorded)
    const { lag, parked, status } = yield* Effect.promise(async () => {
      const consumer = await petstore.events.consumers.get("invoices")
      return {
        lag: consumer.lag,
        parked: (await petstore.events.consumers.parked("invoices")).items,
        status: await petstore.verify()
      }
    })
    assert.isAtMost(lag, events)
    assert.deepStrictEqual(parked, [])
    assert.isTrue(status.ok)
  })

/** No test waits for a lease of this length. */
const longLease = "300000"

const takesOverAtOnce = ({ adapter, storage }: Database) =>
  Effect.gen(function* () {
    const petstore = yield* opened(adapter)
    yield* add(petstore, 1, events - 2)
    const holder = yield* startProgram("consume-events", storage, "100", "", longLease, "4")
    yield* until(holder, "end 5")
    const next = yield* startProgram("consume-events", storage, "0", "", longLease, "4")
    yield* until(next, "open")
    holder.process.kill("SIGKILL")
    const killed = numbered(yield* holder.rest, "end")
    const position = yield* recordedAt(petstore, 0)
    yield* add(petstore, events - 1, events)
    yield* recordedAt(petstore, events)
    next.process.kill("SIGKILL")
    const handled = numbered(yield* next.rest, "end")
    assert.deepStrictEqual(
      [...handled].sort((a, b) => a - b),
      from(position + 1, events)
    )
    assert.isAtMost(position, Math.max(5, ...killed))
  })

describe.runIf(process.platform === "linux")("given two processes on one machine that consume one name", () => {
  it.live("when the one on a SQLite file is killed, then the other does not wait for its lease", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* takesOverAtOnce({ adapter: sqlite(file), storage: `sqlite:${file}` })
    })
  )

  it.live("when the one on PostgreSQL is killed, then the other does not wait for its lease", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* takesOverAtOnce({ adapter: postgres(url), storage: `postgres:${url}` })
    })
  )
})

describe("given two processes that consume one name on a SQLite file", () => {
  for (const window of windows) {
    it.live(
      `when the one that handles events is killed ${window.when}, then the other takes over, in order, and skips none`,
      () =>
        Effect.gen(function* () {
          const file = yield* temporaryFile
          yield* survives({ adapter: sqlite(file), storage: `sqlite:${file}` }, window)
        })
    )
  }
})

describe("given two processes that consume one name on PostgreSQL", () => {
  for (const window of windows.slice(0, 2)) {
    it.live(
      `when the one that handles events is killed ${window.when}, then the other takes over, in order, and skips none`,
      () =>
        Effect.gen(function* () {
          const url = yield* testDatabase
          yield* survives({ adapter: postgres(url), storage: `postgres:${url}` }, window)
        })
    )
  }
})
