import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the repository. */
export const root = fileURLToPath(new URL("../../../", import.meta.url))

const { workspaces }: { readonly workspaces: ReadonlyArray<string> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

/** The folders under `packages` of the packages that are published. */
export const folders: ReadonlyArray<string> = workspaces.flatMap((path) =>
  path.startsWith("packages/") ? [path.slice("packages/".length)] : []
)

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

/** The package.json of a package. */
export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"))

/** The packages that a package needs to find. */
export const requiredBy = ({
  dependencies = {},
  peerDependencies,
  peerDependenciesMeta
}: Manifest): ReadonlyArray<string> =>
  [...Object.keys(dependencies), ...Object.keys(peerDependencies)].filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true
  )

/** The optional peers of all packages, with the versions that they take. */
export const optionalPeers: Readonly<Record<string, string>> = Object.fromEntries(
  folders
    .map(manifestOf)
    .flatMap(({ peerDependencies, peerDependenciesMeta }) =>
      Object.entries(peerDependencies).filter(([name]) => peerDependenciesMeta?.[name]?.optional === true)
    )
)

/** The import paths of a package. */
export const entriesOf = ({ exports, name }: Manifest): ReadonlyArray<string> =>
  Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => name + path.slice(1))

/** The import paths of all packages. */
export const entries: ReadonlyArray<string> = folders.map(manifestOf).flatMap(entriesOf)
