/** Builds the console, which is one script and one style sheet, with the licences of the packages that are in the script. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { licencesOf } from "./licencesOf.js"
import { writeOutput } from "./writeOutput.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, "packages/http/console")

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ["main.tsx", "console.css"].map((name) => ({ in: join(folder, name), out: "console" })),
  outdir: join(folder, "dist"),
  bundle: true,
  format: "esm",
  target: ["chrome123", "firefox120", "safari17.5"],
  minify: true,
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
  write: false
})

const files = new Map(outputFiles.map(({ contents, path }) => [path.slice(join(folder, "dist/").length), contents]))
files.set("LICENSES.txt", Buffer.from(licencesOf(root, metafile)))
await writeOutput(join(folder, "dist"), files, () => true)
