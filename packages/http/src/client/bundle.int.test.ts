import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { build, type Rollup } from "vite"
import { operationDocs } from "../openapi/operationDocs.ts"

const entry = "virtual:entry"

const packages = fileURLToPath(new URL("../../../", import.meta.url))

/** Bundles what an application writes, as for browsers. */
const bundle = async (code: string): Promise<Rollup.OutputChunk> => {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    root: import.meta.dirname,
    resolve: { conditions: ["@petstore/source"] },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : undefined)
      }
    ],
    build: {
      write: false,
      minify: true,
      rolldownOptions: { input: entry, preserveEntrySignatures: "strict" }
    }
  })
  const [output] = [built].flat()
  if (output === undefined || !("output" in output)) return assert.fail("Nothing was built")
  const [chunk] = output.output
  assert.strictEqual(output.output.length, 1)
  return chunk
}

describe("the client in a bundle for browsers", () => {
  it("given an application that creates one, then nothing of a server, a store or Node.js comes with it", async () => {
    const { code, imports, moduleIds } = await bundle(
      'import { createClient } from "@petstore/http/client"; globalThis.petstore = createClient'
    )
    const { moduleIds: ofDomain } = await bundle('export * from "@petstore/core/domain"')
    const own = moduleIds.filter((id) => id.startsWith(packages)).map((id) => id.slice(packages.length))
    const allowed =
      /^(?:core\/src\/(?:remote\.|petstore\/(?:promiseApi|callOptions|callerStack|EffectMethods|methods|eventQueries|eventIterator|subscribe|promiseEvents)\.|programs\/transactions\/TransactionBody\.)|http\/src\/(?:(?:client|api)\/|retryAfter\.))/
    assert.deepStrictEqual(
      own.filter((id) => !allowed.test(id) && !ofDomain.includes(packages + id)),
      []
    )
    assert.isAbove(own.length, 20)
    assert.deepStrictEqual(imports, [])
    assert.deepStrictEqual(
      moduleIds.filter((id) => /node:|browser-external/.test(id)),
      []
    )
    assert.notInclude(code, operationDocs.createPet.description, "the texts of the OpenAPI document")
    assert.deepStrictEqual(
      moduleIds.filter((id) => /\/effect\/dist\/http-api\//.test(id)),
      [],
      "declarations of Effect"
    )
    const compressed = gzipSync(code).length / 1024
    assert.isBelow(compressed, 62)
  })

  it("given that bundle, when it is run, then it calls a petstore", async () => {
    const { code } = await bundle('export { createClient } from "@petstore/http/client"')
    const loaded: { readonly createClient: typeof import("@petstore/http/client").createClient } = await import(
      `data:text/javascript;base64,${btoa(unescape(encodeURIComponent(code)))}`
    )
    const petstore = loaded.createClient({
      baseUrl: "http://pets.example/v1",
      key: "psk_1",
      fetch: async () => Response.json({ id: 1, name: "Rex", categoryId: 1 }, { headers: { ETag: '"p1"' } })
    })
    assert.deepStrictEqual(await petstore.pets.get(1), { id: 1, name: "Rex", categoryId: 1, version: 1 })
  })
})
