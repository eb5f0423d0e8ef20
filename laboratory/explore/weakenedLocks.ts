import type { Reading } from "@petstore/core/kernel"
import { groupsOf } from "./explore.ts"
import { exploreTogether } from "./exploreTogether.ts"
import { Interleaving } from "./Interleaving.ts"
import type { Program } from "./RunningCommand.ts"
import type { StoredState } from "./World.ts"

/** The locks that a command takes on rows of a table, weakened. */
export interface WeakenedLock {
  /** Such as `orders.place`. */
  readonly command: string | undefined
  readonly table: string
  readonly from: Reading
  readonly to: Reading
}

const weaker: Readonly<Record<Reading, ReadonlyArray<Reading>>> = {
  find: [],
  lockShared: ["find"],
  lock: ["find", "lockShared"]
}

/** Each lock of each command, weakened in every way. */
export const weakenedLocks = (initial: StoredState, programs: ReadonlyArray<Program>): ReadonlyArray<WeakenedLock> => {
  const found = new Map<string, WeakenedLock>()
  const note = (command: Program["command"], table: string, from: Reading): Reading => {
    for (const to of weaker[from]) found.set(`${command} ${table} ${from} ${to}`, { command, table, from, to })
    return from
  }
  for (const program of programs) {
    const readsAs = (reading: Reading, table: string) => note(program.command, table, reading)
    const run = new Interleaving(initial, [{ ...program, readsAs }])
    while (run.ready.length > 0) run.take(0)
  }
  return [...found.values()]
}

/** The commands that first show that a lock is too weak; undefined if none do. */
export const commandsThatShow = (
  initial: StoredState,
  programs: ReadonlyArray<Program>,
  { command, from, table, to }: WeakenedLock
): ReadonlyArray<string> | undefined => {
  const readsAs = (reading: Reading, name: string): Reading => (name === table && reading === from ? to : reading)
  for (const size of [2, 3]) {
    for (const group of groupsOf(programs, size)) {
      if (group.every((program) => program.command !== command)) continue
      const weakened = group.map((program) => (program.command === command ? { ...program, readsAs } : program))
      if (exploreTogether(initial, weakened, group).finding !== undefined) return group.map(({ name }) => name)
    }
  }
  return undefined
}
