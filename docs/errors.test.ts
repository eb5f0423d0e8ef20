import { catalogue } from "@petstore/core/domain"
import { it } from "vitest"
import { errorDocs } from "../packages/http/src/api/errorDocs.ts"
import { expectGenerated, tableOf } from "./support/generatedTables.ts"

it("docs/errors.md has the code, status and class of every error, in the sentences of its page", () =>
  expectGenerated("errors", {
    errors: tableOf(
      ["Code", "Status", "Class", "When, and what to do"],
      Object.entries(catalogue).map(([code, { code: documented, name, status }]) => {
        const { happened, remedy } = errorDocs[documented]
        return [`\`${code}\``, String(status), `\`${name}\``, `${happened} ${remedy}`]
      })
    )
  }))
