import { compare, type Finding } from "./Finding.ts"
import { type Change, repeats } from "./ResourceLog.ts"

/** The version of a resource after an event: 1 at its creation, one more with each change. */
export const versionProblem = ({ before, does, event }: Change): Finding => {
  const { seq, subject, type } = event
  const versionIs = (version: number, expected: number) =>
    version === expected || compare({ seq, type, subject }, { version }, { version: expected })
  if (does.what === "creates") return before === undefined ? versionIs(does.data.version, 1) : undefined
  if (before === undefined) return { seq, type, subject, problem: "not created before" }
  if (does.what === "ends" || does.what === "records" || before.end !== undefined) return undefined
  // A change that completes an order has two events, with the same data.
  if (type !== "order.completed" && repeats(before.data, does.data)) {
    return { seq, type, subject, problem: "repeats the event before" }
  }
  return versionIs(does.data.version, before.data.version + (does.isSame ? 0 : 1))
}
