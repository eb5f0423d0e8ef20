import { cp, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { OncePerRun, type Shared } from "../../adapters/test/support/OncePerRun.ts"
import { build, install, pack, required } from "./pack.ts"
import { optionalPeers } from "./workspace.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Responds with the folders of the packages of this run, which are packed and installed at the first request. */
    readonly packages: string
    /** The same for a project that has the optional peers, too. */
    readonly packagesAndPeers: string
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

/** Makes a project with the packages and some others. All projects share the folder of the tarballs. */
const installWith = async (name: string, others: ReadonlyArray<string>): Promise<Shared> => {
  packing ??= packAll()
  const { folder, tarballs } = await packing
  const project = join(folder, name)
  await install(project, [...tarballs, ...required, ...others])
  await cp(programs, project, { recursive: true })
  return {
    text: JSON.stringify({ tarballs, project }),
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

export default async ({ provide }: TestProject) => {
  const [alone, withPeers] = await Promise.all([
    OncePerRun.use("packages", () => installWith("project", [])),
    OncePerRun.use("packages and peers", () => installWith("full-project", peers))
  ])
  provide("packages", alone.address)
  provide("packagesAndPeers", withPeers.address)
  return async () => {
    await alone.release()
    await withPeers.release()
  }
}
