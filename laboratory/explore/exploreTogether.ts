import { type Interleaving, interleavings, serially } from "./Interleaving.ts"
import type { Program } from "./RunningCommand.ts"
import type { StoredState } from "./World.ts"

/** Programs that were run at once. */
export interface Explored {
  readonly interleavings: number
  /** The first interleaving that is wrong, of those with the fewest steps. */
  readonly finding: Found | undefined
  /** One interleaving for each outcome that is right. */
  readonly outcomes: ReadonlyMap<string, Interleaving>
}

export interface Found {
  readonly run: Interleaving
  readonly problem: string
}

/** How often another command takes over. */
const switches = ({ order }: Interleaving): number =>
  order.filter((place, index) => index > 0 && order[index - 1] !== place).length

const isShorter = (one: Interleaving, { run }: Found): boolean =>
  one.order.length < run.order.length || (one.order.length === run.order.length && switches(one) < switches(run))

const problemOf = (run: Interleaving, serial: ReadonlySet<string>): string | undefined => {
  if (run.deadlock !== undefined) return run.deadlock
  return serial.has(run.outcome()) ? undefined : `No serial order ends so: ${run.ends}`
}

/** Runs programs in every interleaving. Each must end as if those of `correct` had run one after the other, in any order. */
export const exploreTogether = (
  initial: StoredState,
  programs: ReadonlyArray<Program>,
  correct: ReadonlyArray<Program> = programs
): Explored => {
  const outcomes = new Map(serially(initial, correct).map((run) => [run.outcome(), run]))
  const serial = new Set(outcomes.keys())
  let [count, finding]: [number, Found | undefined] = [0, undefined]
  for (const run of interleavings(initial, programs)) {
    count++
    const problem = problemOf(run, serial)
    if (problem !== undefined && (finding === undefined || isShorter(run, finding))) finding = { run, problem }
  }
  return { interleavings: count, finding, outcomes }
}
