/**
 * Lets what is published import the modules of Effect that it uses, where the sources import them by way of `effect`,
 * which loads all 250. Each import stays on its line, so that the source maps stay true.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * The modules that an index of Effect passes on, each under its own name.
 * @param {string} index
 */
const modulesOf = (index) => {
  const text = readFileSync(fileURLToPath(import.meta.resolve(index)), "utf8")
  return new Set([...text.matchAll(/^export \* as (\w+) from "\.\/\1\.js"/gm)].map(([, name]) => name))
}

const indexes = new Map(["effect", "effect/cli", "effect/http-api"].map((index) => [index, modulesOf(index)]))

/**
 * @param {string} line the import as it was
 * @param {string} names such as `Effect, Result as R`
 * @param {string} index
 */
const narrowed = (line, names, index) => {
  const parts = names.split(",").map((name) => name.trim().split(" as "))
  const modules = indexes.get(index)
  if (!parts.every(([name]) => modules?.has(name))) return line
  return parts.map(([name, local = name]) => `import * as ${local} from "${index}/${name}";`).join(" ")
}

for (const name of ["core", "adapters", "http"]) {
  const dist = fileURLToPath(new URL(`../packages/${name}/dist/`, import.meta.url))
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js")) continue
    const text = readFileSync(join(dist, file), "utf8")
    const narrow = text.replaceAll(/^import \{ ([\w, ]+) \} from "(effect[\w/-]*)";/gm, narrowed)
    if (narrow !== text) writeFileSync(join(dist, file), narrow)
  }
}
