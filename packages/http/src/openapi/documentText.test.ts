import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { openApiYaml } from "./documentText.ts"
import { openApiDocument } from "./openApiDocument.ts"

const document = openApiDocument()
const text = openApiYaml(document)

describe("the YAML of the document", () => {
  it("given the document, when its YAML is parsed, then it is the same document", () => {
    assert.deepEqual(parse(text), document)
  })

  it("given the document, when its YAML is parsed as YAML 1.1, then it is the same document", () => {
    assert.deepEqual(parse(text, { version: "1.1" }), document)
  })

  it("given a date, then it is quoted", () => {
    assert.include(text, 'x-deprecated-sunset: "2030-12-05"')
  })
})
