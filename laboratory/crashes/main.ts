import { availableParallelism } from "node:os"
import { join } from "node:path"
import { memoryFolder } from "../../packages/adapters/test/support/memoryFolder.ts"
import type { Lab } from "../Lab.ts"
import { withLibrary } from "../preloadedLibraries.ts"
import { crash } from "./crashes.ts"

/** How many processes write to the file of a round and are killed, and how often its machine loses power. */
const round = { kills: 10, losses: 5 }

/** Kills processes that write to a SQLite file, loses the power of their machine, and compares the file with what was acknowledged. */
export const ask = (lab: Lab): Promise<void> =>
  withLibrary("recordedWrites", "write-pets", async ({ command, folder, library }) => {
    process.env.NODE_COMPILE_CACHE = join(folder, "compiled")
    const commandOf = (...args: ReadonlyArray<string>) => [...command, ...args] as const
    await lab.eachSeed((seed) => crash({ ...round, seed, library, parent: memoryFolder(), commandOf }), {
      atOnce: availableParallelism(),
      figures: () => `(${round.kills} kills and ${round.losses} losses of power each)`
    })
  })
