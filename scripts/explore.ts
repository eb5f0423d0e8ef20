// Runs all pairs of commands of the petstore in every interleaving: npm run explore
// With --triples: all groups of three. With --seeded-bugs: the shortest trace that shows each bug that was put into a command.
// With --weakened: each lock of each command weakened, and which of these faults no two or three commands show.
import { parseArgs } from "node:util"
import { exploreGroups, prepare } from "../packages/core/testing/src/explorer/explore.ts"
import { exploreTogether } from "../packages/core/testing/src/explorer/exploreTogether.ts"
import { commandSets } from "../packages/core/testing/test/explorer/commandSets.ts"
import { petstoreCommands, ruledCommands } from "../packages/core/testing/test/explorer/commands.ts"
import { commandsWithBugs, seededBugs } from "../packages/core/testing/test/explorer/seededBugs.ts"
import { commandsThatShow, weakenedLocks } from "../packages/core/testing/test/explorer/weakenedLocks.ts"
import { workCommands } from "../packages/core/testing/test/explorer/work.ts"

const { values } = parseArgs({
  options: { triples: { type: "boolean" }, "seeded-bugs": { type: "boolean" }, weakened: { type: "boolean" } }
})

const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`

const exploreAll = async (size: number): Promise<boolean> => {
  let isRight = true
  for (const { commands, ofThree = commands, which } of commandSets) {
    const start = performance.now()
    const { initial, programs } = await prepare(size === 3 ? ofThree : commands)
    const { combinations, findings, interleavings } = await exploreGroups(initial, programs, size)
    const counts = `${combinations} groups of ${size}, ${interleavings} interleavings, ${findings.length} findings`
    console.log(`${programs.length} commands, ${which}: ${counts}, ${secondsSince(start)}`)
    for (const { commands, problem, trace } of findings) {
      console.log(`${commands.join(", ")}\n  ${problem}\n  ${trace.join("; ")}`)
    }
    isRight &&= findings.length === 0
  }
  return isRight
}

const findSeededBugs = async (): Promise<boolean> => {
  const { initial, programs } = await prepare(commandsWithBugs)
  let isRight = true
  for (const { broken, correct, name } of seededBugs(programs)) {
    const { finding } = exploreTogether(initial, broken, correct)
    console.log(`${name}: ${finding === undefined ? "NOT FOUND" : finding.problem}`)
    if (finding === undefined) isRight = false
    else console.log(`  ${finding.run.trace.join("; ")}`)
  }
  return isRight
}

const findWeakenedLocks = async (): Promise<boolean> => {
  for (const commands of [{ ...petstoreCommands, rules: ruledCommands.rules }, workCommands]) {
    const start = performance.now()
    const { initial, programs } = await prepare(commands)
    const all = weakenedLocks(initial, programs)
    let found = 0
    for (const lock of all) {
      const shown = commandsThatShow(initial, programs, lock)
      if (shown !== undefined) found++
      const { command, from, table, to } = lock
      console.log(`${command}: ${from} of ${table} made ${to}: ${shown?.join(" | ") ?? "NOT FOUND"}`)
    }
    console.log(`${all.length} weakened locks, ${found} found, ${secondsSince(start)}`)
  }
  return true
}

const isRight =
  values["seeded-bugs"] === true
    ? await findSeededBugs()
    : values.weakened === true
      ? await findWeakenedLocks()
      : await exploreAll(values.triples === true ? 3 : 2)
process.exitCode = isRight ? 0 : 1
