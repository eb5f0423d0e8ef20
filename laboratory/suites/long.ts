import type { Lab } from "../Lab.ts"
import { passes } from "./vitest.ts"

export const ask = async (lab: Lab): Promise<void> => {
  if (!passes(["--project=long"])) lab.found("A test fails")
}
