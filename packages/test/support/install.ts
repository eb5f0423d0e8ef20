import { cp, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { outcomeFile } from "./installed.ts"
import { build, install, pack, required } from "./pack.ts"
import { optionalPeers } from "./workspace.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder into which the packages are being installed. */
    readonly packages: string
  }
}

const programs = new URL("../programs/", import.meta.url)

const installAll = async (folder: string) => {
  const project = join(folder, "project")
  const fullProject = join(folder, "full-project")
  const tarballs = await pack(join(folder, "tarballs"))
  const packages = [...tarballs, ...required]
  const peers = Object.entries(optionalPeers).map(([name, versions]) => `${name}@${versions}`)
  await Promise.all([install(project, packages), install(fullProject, [...packages, ...peers])])
  for (const to of [project, fullProject]) await cp(programs, to, { recursive: true })
  return { tarballs, project, fullProject }
}

/**
 * Builds the packages, and begins to pack them and to install them into two empty projects, for all tests of a run. Tests of
 * other projects run meanwhile; see `installed.ts`.
 */
export default async ({ provide }: TestProject) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "petstore-packages-")))
  await build()
  const written = installAll(folder)
    .catch((error: unknown) => ({ failure: String(error) }))
    .then(async (outcome) => {
      await writeFile(join(folder, "unfinished"), JSON.stringify(outcome))
      await rename(join(folder, "unfinished"), join(folder, outcomeFile))
    })
  provide("packages", folder)
  return async () => {
    await written
    await rm(folder, { recursive: true, force: true })
  }
}
