import * as Effect from "effect/Effect"
import { MessagePairs } from "./MessagePairs.ts"
import type { Run } from "./Run.ts"

/** Checks messages with their events. */
export const verifyMessages = ({ buckets, nextNoted, report, results, takeFacts }: Run) => {
  const pairs = new MessagePairs(report.on("unpairedMessage"))
  return buckets.each(
    [],
    nextNoted("messages"),
    Effect.fnUntraced(function* ({ bucket }) {
      yield* takeFacts("messages", bucket, (fact) => {
        if (fact.kind === "message") pairs.add(fact.side, fact.id, fact.status)
      })
      pairs.finish()
      results.finish()
    })
  )
}
