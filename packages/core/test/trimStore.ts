import * as Effect from "effect/Effect"
import { Storage } from "../src/ports/Storage.ts"
import { foldEvents, subjectsOf } from "../src/services/verification/checkpoint/foldEvents.ts"

/** Removes the events up to a number in one batch, as the engine does. */
export const trimThrough = Effect.fnUntraced(function* (
  through: number,
  { at = "1970-01-01T00:00:00.000Z", resultsFrom = at } = {}
) {
  const { checkpoints, events, transact } = yield* Storage
  const [log] = yield* checkpoints.find(["log"])
  const page = yield* events.scan(log?.seq ?? 0, Math.max(through - (log?.seq ?? 0), 0))
  if (page.length === 0) return
  const rows = yield* checkpoints.find(subjectsOf(page))
  const creations = yield* checkpoints.scan("created/", 1000)
  const expired = creations.filter(({ subject }) => subject < `created/${resultsFrom}`)
  const folded = foldEvents({ events: page, rows, expired, keepsResults: true, resultsFrom, at })
  if ("problem" in folded) return yield* Effect.die(new Error(folded.problem))
  yield* transact(
    Effect.gen(function* () {
      yield* checkpoints.save(folded.saved)
      yield* checkpoints.remove(folded.removed)
      yield* events.trim(through)
    })
  )
})
