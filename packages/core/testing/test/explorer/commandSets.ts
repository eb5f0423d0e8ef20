import type { ExploreOptions } from "../../src/index.ts"
import { petstoreCommands, ruledCommands } from "./commands.ts"
import { reservationCommands } from "./reservations.ts"
import { workCommands, workOfThree } from "./work.ts"

type Commands = Omit<ExploreOptions, "atOnce">

/**
 * Every set of commands of the petstore that is explored. `ofThree`: those that may run in groups of three, if not all. Imports are explored
 * beside their code. Not explored are a consumer's handler, which is a body; new endpoints (see `work.ts`); and what retention and the
 * rotation of secret keys find before they begin a transaction.
 */
export const commandSets: ReadonlyArray<{
  readonly which: string
  readonly commands: Commands
  readonly ofThree?: Commands
}> = [
  { which: "calls without rules of a host", commands: petstoreCommands },
  { which: "calls with rules of a host", commands: ruledCommands },
  { which: "work beside calls", commands: workCommands, ofThree: workOfThree },
  { which: "orders that expire", commands: reservationCommands }
]
