import { createRequire } from "node:module"
import SwaggerParser from "@apidevtools/swagger-parser"
import { Validator } from "@seriousme/openapi-schema-validator"
import { assert, describe, it } from "vitest"
import { openApi31 } from "./openApi31.ts"
import { openApiDocument } from "./openApiDocument.ts"

// The package has no types.
const oasValidator: {
  readonly validate: (document: unknown, options: object) => Promise<{ readonly valid: boolean }>
} = createRequire(import.meta.url)("oas-validator")

type Json = { [key: string]: Json }

// Each validator modifies its input.
const copy = (): Json => JSON.parse(JSON.stringify(openApiDocument()))

const validators: { readonly [name: string]: (document: Json) => Promise<boolean> } = {
  "swagger-parser": (document) =>
    SwaggerParser.validate(document as never, { resolve: { external: false } }).then(
      () => true,
      () => false
    ),
  "openapi-schema-validator": async (document) => (await new Validator().validate(document)).valid,
  "oas-validator": (document) =>
    oasValidator.validate(document, {}).then(
      ({ valid }) => valid,
      () => false
    )
}

const broken: { readonly [what: string]: (document: Json) => void } = {
  "an operation without responses": (document) => {
    delete document.paths?.["/pets"]?.get?.responses
  },
  "a callback without responses": (document) => {
    delete document.paths?.["/webhooks"]?.post?.callbacks?.event?.["{$request.body#/url}"]?.post?.responses
  },
  "an unknown type": (document) => {
    Object.assign(document.components?.schemas?.Pet ?? {}, { type: "pet" })
  },
  "a list of types, as in OpenAPI 3.1": (document) => {
    Object.assign(document.components?.schemas?.Pet ?? {}, { type: ["object", "null"] })
  }
}

/** The document with its webhooks as paths: validators of 3.0.3 do not look into extensions. */
const withWebhooksAsPaths = (): Json => {
  const { paths = {}, "x-webhooks": webhooks = {}, ...rest } = copy()
  const more = Object.entries(webhooks).map(([type, item]) => [`/webhooks-sent/${type}`, item] as const)
  return { ...rest, paths: { ...paths, ...Object.fromEntries(more) } }
}

for (const [name, validate] of Object.entries(validators)) {
  describe(`the document in ${name}`, () => {
    it("given the document, when it is validated, then it is valid", async () => {
      assert.isTrue(await validate(copy()))
    })

    it("given the document in 3.1, when it is validated, then only a validator of 3.0 refuses it", async () => {
      const document = JSON.parse(JSON.stringify(openApi31(openApiDocument())))
      assert.strictEqual(await validate(document), name !== "oas-validator")
    })

    it("given the webhooks as paths, when they are validated, then they are valid", async () => {
      assert.isTrue(await validate(withWebhooksAsPaths()))
    })

    it("given a webhook without responses as a path, when it is validated, then it is not valid", async () => {
      const document = withWebhooksAsPaths()
      delete document.paths?.["/webhooks-sent/pet.created"]?.post?.responses
      assert.isFalse(await validate(document))
    })

    for (const [what, change] of Object.entries(broken)) {
      it(`given ${what}, when it is validated, then it is not valid`, async () => {
        const document = copy()
        change(document)
        assert.isFalse(await validate(document))
      })
    }
  })
}
