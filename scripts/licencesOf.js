import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The folder of the package of others that a file is part of. */
const packageOf = (/** @type {string} */ path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]

/**
 * The licences of the packages of others in a bundle, as a text.
 *
 * @param {string} root where the paths of the inputs begin
 * @param {import("esbuild").Metafile} metafile
 */
export const licencesOf = (root, { inputs }) => {
  const others = new Set(Object.keys(inputs).flatMap((path) => packageOf(path) ?? []))
  const licences = [...others].sort().map((folder) => {
    const place = join(root, folder)
    const { license, name, version } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"))
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"].map((one) => join(place, one)).find(existsSync)
    if (file === undefined) throw new Error(`${folder} has no licence that the bundle could contain`)
    return `${name} ${version} (${license})\n\n${readFileSync(file, "utf8").trim()}\n`
  })
  return licences.join(`\n${"-".repeat(80)}\n\n`)
}
