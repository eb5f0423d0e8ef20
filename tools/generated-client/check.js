// Generates clients from the accepted document, compiles a program that uses them, and runs it against a server.
import { spawnSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { Redacted } from "effect"

const folder = fileURLToPath(new URL(".", import.meta.url))
const bin = (name) => `../node_modules/.bin/${name}`

const run = (...command) => {
  const { status } = spawnSync(process.execPath, command, { cwd: folder, stdio: "inherit" })
  if (status !== 0) process.exit(1)
}

if (!existsSync(new URL("../node_modules", import.meta.url))) {
  console.error("The generators are not installed: npm ci --prefix tools")
  process.exit(1)
}
rmSync(new URL("generated", import.meta.url), { recursive: true, force: true })
run(bin("openapi-typescript"), "../../packages/http/openapi/petstore.yaml", "-o", "generated/openapi-typescript.ts")
run(bin("openapi-ts"), "--silent")
const zod = ["-o", "generated/openapi-zod-client.ts", "--with-alias"]
run(bin("openapi-zod-client"), "../../packages/http/openapi/petstore.yaml", ...zod)
run(bin("tsc"))

const key = "key-of-generated-clients"
const petstore = await createPetstore()
const handler = createHandler(petstore, { adminKey: Redacted.make(key) })
const server = createServer(handler.node)
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
try {
  const { visitAll } = await import("./generated/dist/usage.js")
  await visitAll({ baseUrl: `http://127.0.0.1:${server.address().port}/v1`, key })
} finally {
  await handler.close()
  server.close()
  server.closeAllConnections()
  await petstore.close()
}
