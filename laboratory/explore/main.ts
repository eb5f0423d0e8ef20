import type { Reading } from "@petstore/core/kernel"
import type { Lab } from "../Lab.ts"
import { commandSets } from "./commandSets.ts"
import { petstoreCommands, ruledCommands } from "./commands.ts"
import { exploreGroups, groupsOf, prepare } from "./explore.ts"
import { exploreTogether, Interleaving } from "./Interleaving.ts"
import type { Program } from "./RunningCommand.ts"
import type { StoredState } from "./World.ts"
import { workCommands } from "./work.ts"

/** The locks that a command takes on rows of a table, weakened. */
interface WeakenedLock {
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
const weakenedLocks = (initial: StoredState, programs: ReadonlyArray<Program>): ReadonlyArray<WeakenedLock> => {
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
const commandsThatShow = (
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

const exploreAll = async (lab: Lab, size: number): Promise<void> => {
  for (const { commands, ofThree = commands, which } of commandSets) {
    const { initial, programs } = await prepare(size === 3 ? ofThree : commands)
    const { combinations, findings, interleavings } = await exploreGroups(initial, programs, size)
    const counts = `${combinations} groups of ${size}, ${interleavings} interleavings, ${findings.length} findings`
    lab.log(`${programs.length} commands, ${which}: ${counts}, ${lab.seconds}`)
    for (const { commands, problem, trace } of findings) {
      lab.found(`${commands.join(", ")}\n  ${problem}\n  ${trace.join("; ")}`, "")
    }
  }
}

const showWeakenedLocks = async (lab: Lab): Promise<void> => {
  for (const commands of [{ ...petstoreCommands, rules: ruledCommands.rules }, workCommands]) {
    const { initial, programs } = await prepare(commands)
    const all = weakenedLocks(initial, programs)
    let found = 0
    for (const lock of all) {
      const shown = commandsThatShow(initial, programs, lock)
      if (shown !== undefined) found++
      const { command, from, table, to } = lock
      lab.log(`${command}: ${from} of ${table} made ${to}: ${shown?.join(" | ") ?? "NOT FOUND"}`)
    }
    lab.log(`${all.length} weakened locks, ${found} found, ${lab.seconds}`)
  }
}

/** Runs all pairs of commands of the petstore in every interleaving, or weakens each lock of each command. */
export const ask = (lab: Lab<{ readonly triples: boolean; readonly weakened: boolean }>): Promise<void> =>
  lab.flags.weakened ? showWeakenedLocks(lab) : exploreAll(lab, lab.flags.triples ? 3 : 2)
