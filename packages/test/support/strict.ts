import { cp, mkdir, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { folders, manifestOf, requiredBy } from "./workspace.ts"

/**
 * Lays the packages of a project out as pnpm does: each finds what it declares beside itself, and nothing else. Returns
 * the folder of each package.
 */
export const layOut = async (project: string, store: string): Promise<ReadonlyMap<string, string>> => {
  const manifests = folders.map(manifestOf)
  const placeOf = (name: string): string => join(store, name, "node_modules", name)
  const own = new Map(manifests.map(({ name }) => [name, placeOf(name)]))
  for (const manifest of manifests) {
    const place = placeOf(manifest.name)
    await cp(join(project, "node_modules", manifest.name), place, { recursive: true })
    for (const name of requiredBy(manifest)) {
      const link = join(store, manifest.name, "node_modules", name)
      await mkdir(dirname(link), { recursive: true })
      await symlink(own.get(name) ?? join(project, "node_modules", name), link)
    }
  }
  return own
}
