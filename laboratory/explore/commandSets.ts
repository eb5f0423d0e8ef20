import { petstoreCommands, ruledCommands } from "./commands.ts"
import type { ExploreOptions } from "./explore.ts"
import { reservationCommands } from "./reservations.ts"
import { workCommands, workOfThree } from "./work.ts"

type Commands = Omit<ExploreOptions, "atOnce">

/**
 * Every set of commands of the petstore that is explored. `each`: how many interleavings a pair has on average, at least: with fewer, commands
 * would not meet. `ofThree`: those that may run in groups of three, if not all. Imports are explored
 * beside their code. Not explored are a consumer's handler, which is a body; new endpoints (see `work.ts`); and what retention and the
 * rotation of secret keys find before they begin a transaction.
 */
export const commandSets: ReadonlyArray<{
  readonly which: string
  readonly commands: Commands
  readonly each: number
  readonly ofThree?: Commands
}> = [
  { which: "calls without rules of a host", commands: petstoreCommands, each: 1.5 },
  { which: "calls with rules of a host", commands: ruledCommands, each: 1.5 },
  { which: "work beside calls", commands: workCommands, each: 1.3, ofThree: workOfThree },
  { which: "orders that expire", commands: reservationCommands, each: 1.4 }
]
