import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@petstore/core/domain"
import { openApiDocument } from "@petstore/http/openapi"
import * as Effect from "effect/Effect"
import { deviations } from "../../test/support/conformance.ts"
import { errorTriggers, startSampleServer } from "../../test/support/errorTriggers.ts"
import { methods } from "./OpenApi.ts"

interface Declared {
  readonly operationId: string
  readonly status: number
}

const { components, paths } = openApiDocument()

/** Every operation and status in the document, by the error code, or by the status of a success. */
const declared = (): ReadonlyMap<string, ReadonlyArray<Declared>> => {
  const found = new Map<string, Array<Declared>>()
  const operations = Object.values(paths).flatMap((item) => methods.map((method) => item[method]))
  for (const operation of operations) {
    for (const [text, published] of Object.entries(operation?.responses ?? {})) {
      const response = "$ref" in published ? components.responses[published.$ref.split("/").at(-1) ?? ""] : published
      for (const code of response?.["x-error-codes"] ?? [text]) {
        const operationId = operation?.operationId ?? ""
        found.set(code, [...(found.get(code) ?? []), { operationId, status: Number(text) }])
      }
    }
  }
  return found
}

describe("the responses in the document", () => {
  for (const [code, all] of declared()) {
    it.effect(
      `given ${code}, when it is triggered in each operation that lists it, then the response conforms to the document`,
      () =>
        Effect.gen(function* () {
          const trigger = errorTriggers[code]
          if (trigger === undefined) throw new Error(`Add a trigger for ${code}`)
          const shared = yield* startSampleServer
          for (const { operationId, status } of all) {
            const reply = yield* Effect.scoped(trigger(operationId, shared))
            assert.strictEqual(reply.status, status, `${operationId}: ${reply.text}`)
            if (status >= 400) assert.deepInclude(reply.body, { code, status }, operationId)
            assert.deepStrictEqual(deviations(operationId, reply), [], `${operationId}: ${code}`)
          }
        })
    )
  }

  it("given the catalogue of errors, then an operation publishes each code but that of methods which no operation has", () => {
    assert.deepStrictEqual(
      Object.keys(catalogue).filter((code) => !declared().has(code)),
      ["method_not_implemented"]
    )
  })

  it("given the triggers, then each is for a code or status in the document", () => {
    assert.deepStrictEqual(
      Object.keys(errorTriggers).filter((code) => !declared().has(code)),
      []
    )
  })
})
