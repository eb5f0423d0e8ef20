import { deepStrictEqual } from "node:assert"
import type { Comparison } from "../Comparison.ts"
import { processSide, type RunningProcess } from "../inProcess/processSide.ts"

const side = processSide(new URL("contenders.ts", import.meta.url))

/** Orders of the petstore, and by hand in ways that have a name. */
const orders = (
  does: string,
  contender: string,
  byHand: Readonly<Record<string, string>>
): Comparison<RunningProcess> => ({
  does,
  sides: [
    side("ours", contender, { isOnPostgres: true }),
    ...Object.entries(byHand).map(([name, way]) => side(name, `${contender}, ${way}`, { isOnPostgres: true }))
  ],
  why: "flights",
  seconds: 0.6,
  check: async (running) => {
    for (const { turn } of running) await turn(0.05)
    const rows = await Promise.all(running.map(({ written }) => written()))
    for (const [index, found] of rows.entries())
      deepStrictEqual(found, rows[0], `${running[index]?.name} writes other rows than ${running[0]?.name}`)
  }
})

export const postgresComparisons: ReadonlyArray<Comparison<RunningProcess>> = [
  orders("PostgreSQL, 1 caller", "1 caller", {
    "by hand": "interactive",
    "one-statement": "one statement"
  }),
  orders("PostgreSQL, 64 callers", "64 callers", {
    "by hand": "interactive",
    "pool-of-10": "pool of 10",
    "one-statement": "one statement",
    "shared-commits": "groups"
  }),
  orders("PostgreSQL, 64 callers, one pet", "64 callers, one pet", { "by hand": "interactive" })
]
