import * as Effect from "effect/Effect"
import type { Run } from "./Run.ts"

/** Checks messages with their events. */
export const verifyMessages = ({ buckets, log, nextNoted, results, takeFacts }: Run) =>
  buckets.each(
    [],
    nextNoted("messages"),
    Effect.fnUntraced(function* ({ bucket }) {
      yield* takeFacts("messages", bucket, (fact) => {
        if (fact[0] === "message") log.compareMessage(fact[1])
      })
      log.finish()
      results.finish()
    })
  )
