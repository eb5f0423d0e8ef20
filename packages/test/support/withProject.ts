import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, install, pack, required } from "./pack.ts"

export interface Packed {
  /** A folder that is removed afterwards. */
  readonly folder: string
  readonly tarballs: ReadonlyArray<string>
  /** A project with the packages and all that they require. */
  readonly project: string
}

/** Packs the packages, and installs them into a project for as long as it is used. */
export const withProject = async (use: (packed: Packed) => Promise<void>): Promise<void> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "petstore-packages-")))
  try {
    await build()
    const tarballs = await pack(join(folder, "tarballs"))
    const project = join(folder, "project")
    await install(project, [...tarballs, ...required])
    await use({ folder, tarballs, project })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
