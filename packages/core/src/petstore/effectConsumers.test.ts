import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { Event } from "../domain/events/Event.ts"
import { logFailure } from "./effectConsumers.ts"

const event: Event = {
  id: "evt_1",
  seq: 7,
  type: "category.deleted",
  subject: "categories/1",
  timestamp: "2026-05-04T09:30:00.000Z",
  data: { id: 1 }
}

describe("given a failure of a consumer", () => {
  it.effect("then the log says what failed, and what becomes of the event", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void logged.push(String([message].flat()[0])))
      const log = logFailure("mail")
      const retryAt = "2026-05-04T09:31:00.000Z"
      yield* Effect.gen(function* () {
        yield* log(new Error("no disk"))
        yield* log(new Error("no mail"), event, { attempt: 1, parked: false, retryAt })
        yield* log(new Error("no mail"), event, { attempt: 2, parked: true })
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(logged, [
        "The consumer mail could not read or write the store",
        `The consumer mail failed with event 7; it is tried again at ${retryAt}`,
        "The consumer mail failed with event 7; it is parked"
      ])
    })
  )
})
