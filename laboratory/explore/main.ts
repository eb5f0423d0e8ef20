import type { Lab } from "../Lab.ts"
import { commandSets } from "./commandSets.ts"
import { petstoreCommands, ruledCommands } from "./commands.ts"
import { exploreGroups, prepare } from "./explore.ts"
import { commandsThatShow, weakenedLocks } from "./weakenedLocks.ts"
import { workCommands } from "./work.ts"

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
