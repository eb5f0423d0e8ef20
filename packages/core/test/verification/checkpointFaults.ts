import type { Fault } from "./Fault.ts"

/** Faults of the checkpoint of a log from which no event was removed. */
export const checkpointFaults: ReadonlyArray<Fault> = [
  {
    given: "a row of the checkpoint that nobody has written",
    damage: { checkpoints: () => [{ subject: "log/7", seq: 1, state: '{"at":"2026"}' }] },
    found: {
      checkpoints_whole: [
        { subject: "log/7", problem: "no checkpoint has such a row" },
        { rows: { found: 1, expected: 0 }, digest: { found: 1997803809098435, expected: 0 } }
      ]
    }
  }
]
