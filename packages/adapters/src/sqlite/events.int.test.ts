import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Event } from "@petstore/core"
import * as Effect from "effect/Effect"
import { startProgram } from "../../test/support/program.ts"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

const open = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: sqlite(file) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** The first events, as many as asked for. */
const take = async (events: AsyncIterable<Event>, count: number): Promise<ReadonlyArray<Event>> => {
  const taken: Array<Event> = []
  for await (const event of events) if (taken.push(event) === count) break
  return taken
}

describe("events of a SQLite file", () => {
  it.effect("given another process that writes, then this one is notified of each commit, in order", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* open(file)
      const received = take(petstore.events.stream({ after: 0 }), 100)
      const writer = yield* startProgram("write-pets", file, "5", "100")
      const [, ...names] = yield* writer.rest
      const events = yield* Effect.promise(() => received)
      assert.deepStrictEqual(
        events.map(({ seq }) => seq),
        Array.from({ length: 100 }, (_, index) => index + 1)
      )
      assert.sameMembers(
        events.map(({ data }) => "name" in data && data.name),
        names
      )
    })
  )

  it.effect("given a process with an open subscription and nothing else to do, then it ends by itself", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* open(file)
      yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      const listener = yield* startProgram("listen", file)
      assert.strictEqual(yield* listener.exit, 0)
    })
  )
})
