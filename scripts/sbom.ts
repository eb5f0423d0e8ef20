/**
 * Writes what the packages bring along to `sbom.cdx.json`, in CycloneDX. That is what an installation of the packages
 * contains, as npm sees it, and what they contain of other packages. Fails if one has no licence or no digest.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "../packages/test/support/command.ts"
import { install, pack, required } from "../packages/test/support/pack.ts"
import { root } from "../packages/test/support/workspace.ts"

interface Component {
  /** The name and the version. */
  readonly "bom-ref": string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly scope?: string
  readonly purl: string
  readonly properties?: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly licenses?: ReadonlyArray<unknown>
  readonly hashes?: ReadonlyArray<unknown>
}

interface Bill {
  readonly components: ReadonlyArray<Component>
}

/** What users install. The testing kit is for development. */
const published = ["core", "adapters", "http"]

/** The bill of an installation, as npm makes it. */
const installed = async (): Promise<Bill> => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-sbom-"))
  try {
    const tarballs = await pack(join(folder, "tarballs"))
    const chosen = tarballs.filter((file) => published.some((name) => file.includes(`petstore-${name}-`)))
    const project = join(folder, "shop")
    await install(project, [...chosen, ...required])
    return JSON.parse(await run("npm", ["sbom", "--sbom-format=cyclonedx"], { cwd: project }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Locked {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8")
)

/** A package of which one of ours contains files. */
const contained = (name: string, where: string): Component => {
  const { integrity = "", license, version = "" } = lock.packages[`node_modules/${name}`] ?? {}
  const [algorithm = "", digest = ""] = integrity.split("-")
  return {
    "bom-ref": `${where}/${name}@${version}`,
    type: "library",
    name,
    version,
    scope: "required",
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    properties: [{ name: "petstore:contained-in", value: where }],
    licenses: license === undefined ? [] : [{ license: { id: license } }],
    hashes:
      digest === ""
        ? []
        : [{ alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") }]
  }
}

/** The packages of which a bundle of ours consists, as its licences name them. */
const containedIn = (where: string, licences: string): ReadonlyArray<Component> => {
  const text = readFileSync(join(root, licences), "utf8")
  const found = [...text.matchAll(/^(\S+) \d\S* \([^)]+\)$/gm)].map(([, name = ""]) => contained(name, where))
  if (found.length === 0) throw new Error(`${licences} names no package, so it was not read`)
  return found
}

const vendored = [
  ...containedIn("@petstore/http/dist/bundle", "packages/http/dist/bundle/LICENSES.txt"),
  ...containedIn("@petstore/http/console", "packages/http/console/dist/LICENSES.txt"),
  contained("swagger-ui-dist", "@petstore/http/reference-page")
]

const bill = await installed()
const components = [...bill.components, ...vendored]
const problems = components
  .filter(({ hashes = [], licenses = [] }) => hashes.length === 0 || licenses.length === 0)
  .map((component) => `${component["bom-ref"]} has no licence or no digest`)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
writeFileSync(join(root, "sbom.cdx.json"), JSON.stringify({ ...bill, components }, undefined, 2))
