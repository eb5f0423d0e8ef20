#!/usr/bin/env node
// Committed as it is, so that npm can link the command before the program is built, and plain enough for an old Node.js.
import { existsSync, readFileSync } from "node:fs"
import * as nodeModule from "node:module"

const refuse = (line) => {
  process.stderr.write(`petstore: ${line}\n`)
  process.exit(1)
}

const [major, minor] = process.versions.node.split(".").map(Number)
const program = new URL("../dist/cli/main.js", import.meta.url)

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

const refuseMissing = (error) => {
  const { peerDependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  for (const [name, versions] of Object.entries(peerDependencies)) {
    if (error?.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}'`)) {
      refuse(`${name} is not installed, and this command needs it. Run npm install ${name}@${versions}`)
    }
  }
  throw error
}

// First: V8 refuses compiled code that was cached under other flags.
if (process.argv[2] === "serve") (await import("../dist/cli/youngGeneration.js")).limitYoungGeneration()
nodeModule.enableCompileCache?.()
await import(program.href).catch(refuseMissing)
