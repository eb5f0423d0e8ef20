import type { Comparison } from "./Comparison.ts"
import { callComparisons } from "./calls/comparisons.ts"
import { followerComparisons } from "./followers/comparisons.ts"
import { growthComparisons } from "./growth/comparisons.ts"
import { httpComparisons } from "./http/comparisons.ts"
import { postgresComparisons } from "./postgres/comparisons.ts"
import { queueComparisons } from "./queues/comparisons.ts"
import { startComparisons } from "./start/comparisons.ts"

/** What each question compares. */
export const comparisons = {
  http: httpComparisons,
  calls: callComparisons,
  postgres: postgresComparisons,
  queues: queueComparisons,
  followers: followerComparisons,
  start: startComparisons,
  growth: growthComparisons
} satisfies Readonly<Record<string, ReadonlyArray<Comparison>>>

export type MeasuredQuestion = keyof typeof comparisons
