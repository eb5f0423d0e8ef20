// Generates clients from the accepted document, compiles a program that uses them, and runs it.
import { spawnSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL(".", import.meta.url))
const bin = (name) => `node_modules/.bin/${name}`

const run = (...command) => {
  const { status } = spawnSync(process.execPath, command, { cwd: folder, stdio: "inherit" })
  if (status !== 0) process.exit(1)
}

if (!existsSync(new URL("node_modules", import.meta.url))) {
  console.error("The generators are not installed: npm ci --prefix tools/generated-client")
  process.exit(1)
}
rmSync(new URL("generated", import.meta.url), { recursive: true, force: true })
run(bin("openapi-typescript"), "../../packages/http/openapi/petstore.yaml", "-o", "generated/openapi-typescript.ts")
run(bin("openapi-ts"), "--silent")
run(bin("tsc"))
run("generated/dist/usage.js")
