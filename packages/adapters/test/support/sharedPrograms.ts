import { glob, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { bundlePrograms } from "./bundlePrograms.ts"
import { OncePerRun } from "./OncePerRun.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Responds with the folder of the bundled programs of this run, which are made at the first request. */
    readonly programs: string
  }
}

const cwd = fileURLToPath(new URL("../../../..", import.meta.url))

/** The programs that tests start again and again. */
const patterns = [
  "packages/http/src/cli/main.ts",
  "packages/{adapters,http}/test/programs/*.ts",
  "examples/*/main.ts",
  "examples/custom-adapter/test/write.ts"
]

const make = async () => {
  const sources: Array<string> = []
  for await (const source of glob(patterns, { cwd })) sources.push(join(cwd, source))
  const folder = await bundlePrograms(sources)
  return { text: folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

export default async ({ provide }: TestProject) => {
  const { address, release } = await OncePerRun.use("programs", make)
  provide("programs", address)
  return release
}
