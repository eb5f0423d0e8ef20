/**
 * Writes what the packages bring along to `sbom.cdx.json`, in CycloneDX: npm run sbom. Fails if a dependency or a peer of a package is missing, or
 * has no licence or no digest. It is that of @petstore/http, which depends on all others: `npm sbom` has no end for @petstore/core, whose folder
 * contains another package.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folders, root } from "../packages/test/support/workspace.ts"

interface Component {
  /** The name and the version. */
  readonly "bom-ref": string
  readonly licenses?: ReadonlyArray<unknown>
  readonly hashes?: ReadonlyArray<unknown>
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const args = ["sbom", "--workspace=packages/http", "--package-lock-only", "--sbom-format=cyclonedx"]
const text = execFileSync("npm", args, { cwd: root, encoding: "utf8" })
const { components }: { readonly components: ReadonlyArray<Component> } = JSON.parse(text)

const others = components.filter((component) => !component["bom-ref"].startsWith("@petstore/"))
const known = new Set(components.map((component) => component["bom-ref"].replace(/@[^@]*$/, "")))
const named = folders.flatMap((folder) => {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"))
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
})
const problems = [
  ...named.filter((name) => !known.has(name)).map((name) => `${name} is missing`),
  ...others
    .filter(({ hashes = [], licenses = [] }) => hashes.length === 0 || licenses.length === 0)
    .map((component) => `${component["bom-ref"]} has no licence or no digest`)
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
writeFileSync(join(root, "sbom.cdx.json"), text)
