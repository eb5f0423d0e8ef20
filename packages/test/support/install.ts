import { cp, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { install, pack, required } from "./pack.ts"
import { optionalPeers } from "./workspace.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The tarballs of the packages. */
    readonly tarballs: ReadonlyArray<string>
    /** A project with the packages and all that they require. */
    readonly project: string
    /** The same with the optional peers too. */
    readonly fullProject: string
  }
}

const programs = new URL("../programs/", import.meta.url)

/** Packs the packages and installs them into two empty projects, for all tests of a run. */
export default async ({ provide }: TestProject) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "petstore-packages-")))
  const project = join(folder, "project")
  const fullProject = join(folder, "full-project")
  const tarballs = await pack(join(folder, "tarballs"))
  const packages = [...tarballs, ...required]
  const peers = Object.entries(optionalPeers).map(([name, versions]) => `${name}@${versions}`)
  await Promise.all([install(project, packages), install(fullProject, [...packages, ...peers])])
  for (const to of [project, fullProject]) await cp(programs, to, { recursive: true })
  provide("tarballs", tarballs)
  provide("project", project)
  provide("fullProject", fullProject)
  return () => rm(folder, { recursive: true, force: true })
}
