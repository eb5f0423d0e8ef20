import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"

const tools = fileURLToPath(new URL("../../../../tools/generated-client", import.meta.url))
const missing = existsSync(`${tools}/../node_modules`)
  ? undefined
  : "The generators are not installed: npm ci --prefix tools"

it("given the accepted document, when clients are generated from it, then they compile and work with a server", async ({
  skip
}) => {
  skip(missing !== undefined, missing)
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@petstore/source", `${tools}/check.js`])
  assert.include(stdout, "openapi-typescript with openapi-fetch: works")
  assert.include(stdout, "@hey-api/openapi-ts: works")
  assert.include(stdout, "openapi-zod-client: works")
})
