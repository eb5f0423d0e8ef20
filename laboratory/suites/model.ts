import type { Lab } from "../Lab.ts"
import { passes } from "./vitest.ts"

export const ask = (lab: Lab): Promise<void> =>
  lab.eachSeed(async (seed) =>
    passes(["packages/http/src/client/model.int.test.ts"], { MODEL_SEED: String(seed) }) ? [] : ["A history differs"]
  )
