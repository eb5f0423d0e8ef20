import * as Effect from "effect/Effect"
import { Storage } from "../src/ports/Storage.ts"
import { foldEvents, subjectsOf } from "../src/runtime/verification/checkpoint/foldEvents.ts"
import { checkpoints, logSubject } from "../src/tables/index.ts"
import { removed, saved, writing } from "./support/writes.ts"

/** Removes the events up to a number in one batch, as the engine does. */
export const trimThrough = Effect.fnUntraced(function* (
  through: number,
  { at = "1970-01-01T00:00:00.000Z", resultsFrom = at } = {}
) {
  const { events, find, findAll, run, scan } = yield* Storage
  const log = yield* find(checkpoints, logSubject)
  const page = yield* events.scan(log?.seq ?? 0, Math.max(through - (log?.seq ?? 0), 0))
  if (page.length === 0) return
  const rows = yield* findAll(checkpoints, subjectsOf(page))
  const creations = yield* scan(checkpoints, ["created/"], 1000)
  const expired = creations.filter(({ subject }) => subject < `created/${resultsFrom}`)
  const folded = foldEvents({ events: page, rows, expired, keepsResults: true, resultsFrom, at })
  if ("problem" in folded) return yield* Effect.die(new Error(folded.problem))
  const writes = [
    ...folded.removed.map((subject) => removed(checkpoints, { subject, seq: 0, state: "" })),
    { trim: through }
  ]
  yield* run(function* (tx) {
    yield* tx.lock(checkpoints, logSubject)
    for (const { key } of folded.saved.map((row) => saved(checkpoints, row))) yield* tx.lock(checkpoints, String(key))
    for (const row of folded.saved) tx.save(checkpoints, row)
    yield* writing(tx, writes)
  }, "events.trim")
})
