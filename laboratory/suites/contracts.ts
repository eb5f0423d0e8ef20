import type { Lab } from "../Lab.ts"
import { passes } from "./vitest.ts"

const projects = ["contract", "variants", "integration"].map((name) => `--project=${name}`)

export const ask = async (lab: Lab): Promise<void> => {
  if (!passes([...projects, "contract", "hostEnd"], { PETSTORE_TEST_CONTRACTS: "all" })) lab.found("A case fails")
}
