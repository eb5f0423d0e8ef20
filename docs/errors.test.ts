import { catalogue } from "@petstore/core/domain"
import { assert, it } from "vitest"
import { errorDocs } from "../packages/http/src/api/errorDocs.ts"
import { expectGenerated, tableOf } from "./support/generatedTables.ts"

it("docs/errors.md has the code and status of every error, in the sentences of its page", () =>
  expectGenerated("errors", {
    errors: tableOf(
      ["Code", "Status", "When, and what to do"],
      Object.entries(catalogue).map(([code, { code: documented, status }]) => {
        const { happened, remedy } = errorDocs[documented]
        return [`\`${code}\``, String(status), `${happened} ${remedy}`]
      })
    )
  }))

it("given an error, then its class is named after its code, as docs/errors.md says", () => {
  const names = Object.keys(catalogue).map((code) =>
    code.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())
  )
  assert.deepStrictEqual(
    Object.values(catalogue).map(({ name }) => name),
    names
  )
})
