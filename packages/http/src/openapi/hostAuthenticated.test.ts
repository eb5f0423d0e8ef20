import { validate } from "@apidevtools/swagger-parser"
import { assert, describe, it } from "@effect/vitest"
import { methods } from "./OpenApi.ts"
import { openApiDocument } from "./openApiDocument.ts"

const keyed = openApiDocument()
const hosted = openApiDocument({ authentication: "host" })

describe("given a server whose host application authenticates users", () => {
  it("when its document is created, then only the operations on API keys mention API keys", () => {
    const { components, info, paths } = hosted
    const { headers, responses } = components
    assert.deepStrictEqual(components.securitySchemes, {})
    for (const item of Object.values(paths)) {
      for (const operation of methods.map((method) => item[method])) {
        if (operation === undefined) continue
        assert.deepStrictEqual(operation.security, [])
        assert.notMatch(JSON.stringify(operation.responses[401] ?? {}), /API key|Bearer|invalid_api_key/)
        assert.notMatch(JSON.stringify(operation.responses[403] ?? {}), /API key|WWW-Authenticate/)
        assert.notMatch(JSON.stringify(operation.responses[429] ?? {}), /API key/)
      }
    }
    assert.notMatch(info.description, /API key/)
    assert.notMatch(JSON.stringify([headers, responses]), /API key|Bearer|this key|per window and key/)
    const { insufficient_scope, rate_limited, unauthenticated } = components.examples
    assert.notMatch(JSON.stringify([insufficient_scope, rate_limited, unauthenticated]), /API key|this key/)
  })

  it("when its document is created, then a 401 has one code and the scheme that is sent", () => {
    const { Unauthorized } = hosted.components.responses
    assert.deepStrictEqual(Unauthorized?.["x-error-codes"], ["unauthenticated"])
    const media = Unauthorized?.content?.["application/json"]
    assert.deepStrictEqual(Object.keys(media?.examples ?? {}), ["unauthenticated"])
    assert.deepStrictEqual(hosted.components.headers.Authenticate?.example, 'Session realm="petstore"')
  })

  it("when its document is created, then the rest is the same as for API keys, and it is valid", async () => {
    assert.deepStrictEqual(Object.keys(hosted.paths), Object.keys(keyed.paths))
    assert.deepStrictEqual(hosted.components.schemas, keyed.components.schemas)
    assert.deepStrictEqual(hosted.components.parameters, keyed.components.parameters)
    await validate(JSON.parse(JSON.stringify(hosted)))
  })
})

describe("given a server with API keys", () => {
  it("when the authentication is not specified, then that is the default", () => {
    assert.deepStrictEqual(openApiDocument({ authentication: "apiKey" }), keyed)
    assert.match(JSON.stringify(keyed), /Send an API key as/)
  })
})
