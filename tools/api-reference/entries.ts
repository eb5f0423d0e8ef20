import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { folders } from "../../packages/test/support/workspace.ts"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** One import path of a package, and the source behind it. */
export interface Entry {
  /** As it is imported, such as `@petstore/core/effect`. */
  readonly name: string
  readonly source: string
  /** Of its page in `docs/api`. */
  readonly page: string
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly "@petstore/source"?: string }>>
}

const entriesOf = (folder: string): ReadonlyArray<Entry> => {
  const { exports, name }: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return Object.entries(exports).flatMap(([path, target]) => {
    const source = typeof target === "string" ? undefined : target["@petstore/source"]
    if (source === undefined) return []
    const entry = name + path.slice(1)
    return [
      { name: entry, source: join(folder, source), page: `${entry.slice("@petstore/".length).replace("/", "-")}.md` }
    ]
  })
}

/** Every public entry of every package, from their `exports`. */
export const entries: ReadonlyArray<Entry> = folders.flatMap((name) => entriesOf(join(root, "packages", name)))

/**
 * Where an export is described that several entries have: in the first of these, then in the order of `exports`. The
 * other entries refer to it.
 */
const homes = ["@petstore/core/domain", "@petstore/core/ports"]
const rank = ({ name }: Entry): number => (homes.includes(name) ? homes.indexOf(name) : homes.length)
export const byHome: ReadonlyArray<Entry> = entries.toSorted((a, b) => rank(a) - rank(b))
