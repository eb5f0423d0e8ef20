/**
 * Puts the modules of the `petstore` command, those of Effect included, into few files: half of the time of its start went into finding and
 * reading 700 of them. `bin/petstore.js` runs the bundle, or the modules themselves while they are newer. Names and whitespace stay: minified code
 * starts no faster, and its stack traces say nothing.
 */
import { statSync } from "node:fs"
import { utimes } from "node:fs/promises"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { bundle, isBundleCurrent } from "../packages/http/bin/bundle.js"
import { licencesOf } from "./licencesOf.js"
import { writeOutput } from "./writeOutput.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const outdir = join(root, "packages/http/dist/bundle")
const started = new Date()

if (isBundleCurrent() && statSync(bundle).mtimeMs >= statSync(fileURLToPath(import.meta.url)).mtimeMs) process.exit()

/** The driver is found from the package that needs it, whose peer it is, as it is without a bundle. */
const driver = `
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
const found = () => {
  try {
    return pathToFileURL(createRequire(import.meta.resolve("@petstore/adapters/postgres")).resolve("pg")).href
  } catch {
    return "pg"
  }
}
export default (await import(found())).default
`

const drivers = {
  name: "drivers",
  /** @param {import("esbuild").PluginBuild} plugins */
  setup: (plugins) => {
    plugins.onResolve({ filter: /^pg$/ }, () => ({ path: "pg", namespace: "driver" }))
    plugins.onLoad({ filter: /.*/, namespace: "driver" }, () => ({ contents: driver, loader: "js", resolveDir: root }))
  }
}

/** The texts of the pages stay where they are: a server imports them only when somebody opens a page. */
const pages = {
  name: "pages",
  /** @param {import("esbuild").PluginBuild} plugins */
  setup: (plugins) => {
    plugins.onResolve({ filter: /^\.\/(?:reference-page|console)\// }, ({ path }) => ({
      path: `../server/routes/${path.slice("./".length)}`,
      external: true
    }))
  }
}

/**
 * Takes modules of Node.js as they are: an import of `node:http` reads each export, and to read some of them loads undici and web streams, a
 * tenth of the start.
 * @param {string} text
 */
const withoutImports = (text) =>
  text.replace(
    /^import (?:(?:\* as )?(?<whole>\w+)|\{(?<names>[^}]*)\})? ?(?:from )?"(?<path>node:[\w/]+)";$/gm,
    (_, whole, names, path) => {
      const module = `globalThis.process.getBuiltinModule("${path}");`
      const to = whole ?? (names === undefined ? undefined : `{${names.replace(/ as /g, ": ")}}`)
      return to === undefined ? module : `const ${to} = ${module}`
    }
  )

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: "packages/http/dist/cli/main.js",
    youngGeneration: "packages/http/dist/cli/youngGeneration.js"
  },
  outdir,
  bundle: true,
  // The modules of the core, so that a subcommand loads what it needs: its entry points share large files.
  conditions: ["@petstore/source"],
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  // Lines and names stay, so that a stack trace can be read and names the function. Shorter code starts no faster.
  minifySyntax: true,
  // The package yaml is CommonJS, and requires modules of Node.js.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'
  },
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  write: false,
  plugins: [drivers, pages]
})

const files = new Map(outputFiles.map(({ path, text }) => [basename(path), Buffer.from(withoutImports(text))]))
files.set("LICENSES.txt", Buffer.from(licencesOf(root, metafile)))
const entry = "main.js"
const program = files.get(entry) ?? Buffer.of()
// Last: it imports the others.
files.delete(entry)
files.set(entry, program)

await writeOutput(outdir, files, () => true)
// What is compiled from now on is newer.
await utimes(join(outdir, entry), started, started)
