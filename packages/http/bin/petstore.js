#!/usr/bin/env node
// Committed as it is, so that npm can link the command before the program is built, and plain enough for an old Node.js.
import { existsSync } from "node:fs"
import * as nodeModule from "node:module"
import { bundle, isBundleCurrent } from "./bundle.js"

const refuse = (line) => {
  process.stderr.write(`petstore: ${line}\n`)
  process.exit(1)
}

const [major, minor] = process.versions.node.split(".").map(Number)
const modules = new URL("../dist/cli/main.js", import.meta.url)
const program = isBundleCurrent() ? bundle : modules

if (major < 22 || (major === 22 && minor < 23)) {
  refuse(
    `Node.js 22.23 or newer is needed; this is ${process.versions.node}. Inside a project, npx --no petstore uses the project's own.`
  )
}
if (!existsSync(program)) refuse("the program is not built yet. Run npm run build first.")

// Node.js 22 calls its SQLite experimental; the store checks for itself that it is a good one.
const { emitWarning } = process
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning(warning, ...rest)
}

// Both run for long, with many objects that wait for a commit. First: V8 refuses compiled code that was cached under other flags.
if (["serve", "import"].includes(process.argv[2])) {
  const { limitYoungGeneration } = await import(new URL("youngGeneration.js", program).href)
  limitYoungGeneration()
}
nodeModule.enableCompileCache?.()
await import(program.href)
