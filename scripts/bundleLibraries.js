/**
 * Writes the JavaScript of the packages: an entry point is a file, and what entry points share is in few chunks, since finding and reading
 * hundreds of modules took as long as all that Effect needs. The compiler writes the types, for each module. Adapters and HTTP stay modules: they start
 * worker threads from files, and load parts on demand.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { withoutSideEffects } from "./withoutSideEffects.js"
import { writeOutput } from "./writeOutput.js"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * What goes into a chunk of its own, the first that matches: an entry point of a room loads those of the rooms below it. To find and to
 * read a chunk takes most of a millisecond, so a small one is part of another.
 *
 * @type {Readonly<Record<string, ReadonlyArray<{ readonly name: string, readonly test: RegExp }>>>}
 */
const chunksOf = {
  "packages/core": [
    // Every chunk needs what Rolldown adds.
    { name: "domain", test: /\/src\/(?:domain|ports)\/|^\0rolldown\// },
    // A petstore shares digests with the rules of verification, which are loaded when it is verified: if these loaded the petstore, a
    // bundler that makes one file of both would have to wrap it.
    {
      name: "toolkit",
      test: /\/src\/(?:(?:adapter-toolkit|kernel|tables)\/|runtime\/verification\/(?:digest|checkpoint\/CheckpointState)\.ts$)/
    },
    // What clients on Node.js need.
    { name: "remote", test: /\/src\/remote\.ts$/ },
    {
      name: "petstore",
      test: /\/src\/(?:programs\/(?!webhooks\/secrets\/secretBox\.ts$)|runtime\/(?!index\.ts$|verification\/|nodeSha256\.ts$)|petstore\/|memory\/)/
    }
  ]
}

const pure = {
  name: "without side effects",
  transform: {
    filter: { id: /\.ts$/ },
    /** Columns may be off by the marks; lines are right. @param {string} code */
    handler: (code) => ({ code: withoutSideEffects(code), map: null })
  }
}

const bundle = async (/** @type {string} */ folder) => {
  const place = join(root, folder)
  const { exports, imports } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"))
  const files = [
    ...Object.values(exports).map((entry) => [entry.default, entry["@petstore/source"]]),
    // What the package imports by a name that stands for another file elsewhere.
    ...Object.values(imports).map((entry) => [entry.node, entry["@petstore/source"].node])
  ]
  const input = Object.fromEntries(
    files.flatMap(([file, source]) =>
      file === undefined ? [] : [[file.slice("./dist/".length, -".js".length), source]]
    )
  )
  const build = await rolldown({
    cwd: place,
    input,
    external: /^(?!\.{0,2}\/)/,
    platform: "neutral",
    tsconfig: false,
    transform: { target: "es2024" },
    plugins: [pure]
  })
  const { output } = await build.generate({
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    codeSplitting: {
      groups: chunksOf[folder]?.map((group, index, groups) => ({ ...group, priority: groups.length - index }))
    },
    comments: { legal: false, annotation: true, jsdoc: false },
    sourcemap: true
  })
  await build.close()
  const isEntry = (/** @type {(typeof output)[number]} */ file) => file.type === "chunk" && file.isEntry
  const last = output.toSorted((one, other) => Number(isEntry(one)) - Number(isEntry(other)))
  const written = last.map((file) => [file.fileName, Buffer.from(file.type === "chunk" ? file.code : file.source)])
  await writeOutput(join(place, "dist"), new Map(written), (path) => /(?<!\.d)\.(?:js|js\.map)$/.test(path))
}

for (const folder of Object.keys(chunksOf)) await bundle(folder)
