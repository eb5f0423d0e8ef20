/** Packs the packages for projects beside this one, until they are in a registry: `npm run tarballs`. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { build, pack } from "../packages/test/support/pack.ts"
import { root } from "../packages/test/support/workspace.ts"

const folder = join(root, "tarballs")
await rm(folder, { recursive: true, force: true })
await build()
for (const tarball of await pack(folder)) console.log(tarball)
