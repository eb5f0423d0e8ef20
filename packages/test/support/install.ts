import { cp, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { OncePerRun, type Shared } from "../../adapters/test/support/OncePerRun.ts"
import { build, install, pack, required } from "./pack.ts"
import { optionalPeers, root } from "./workspace.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Responds with the folders of the packages of this run, which are packed and installed at the first request. */
    readonly packages: string
    /** The same for a project that has the optional peers, too. */
    readonly packagesAndPeers: string
    /** The same for a project with the `effect` of this repository, which is there in a moment. */
    readonly packagesHere: string
  }
}

const programs = new URL("../programs/", import.meta.url)
const peers = Object.entries(optionalPeers).map(([name, versions]) => `${name}@${versions}`)

let packing: Promise<{ readonly folder: string; readonly tarballs: ReadonlyArray<string> }> | undefined

const packAll = async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "petstore-packages-")))
  await build()
  return { folder, tarballs: await pack(join(folder, "tarballs")) }
}

/** Makes a project with the packages and what they need. All projects share the folder of the tarballs. */
const installWith = async (name: string, needed: ReadonlyArray<string>): Promise<Shared> => {
  packing ??= packAll()
  const { folder, tarballs } = await packing
  const project = join(folder, name)
  await install(project, [...tarballs, ...needed])
  await cp(programs, project, { recursive: true })
  return {
    text: JSON.stringify({ tarballs, project }),
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

export default async ({ provide }: TestProject) => {
  const [alone, withPeers, here] = await Promise.all([
    OncePerRun.use("packages", () => installWith("project", required)),
    OncePerRun.use("packages and peers", () => installWith("full-project", [...required, ...peers])),
    OncePerRun.use("packages here", () => installWith("project-here", [join(root, "node_modules/effect")]))
  ])
  provide("packages", alone.address)
  provide("packagesAndPeers", withPeers.address)
  provide("packagesHere", here.address)
  return async () => {
    for (const { release } of [alone, withPeers, here]) await release()
  }
}
