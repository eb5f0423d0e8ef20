import { assert, it } from "vitest"
import { testedAdapters } from "../scripts/capabilities/adapters.ts"
import { readDocument, withMatrix } from "../scripts/capabilities/document.ts"
import { formatMatrix } from "../scripts/capabilities/matrix.ts"
import { casesOf, reportWithoutFailures } from "../scripts/capabilities/TestedAdapter.ts"

it("docs/capabilities.md shows what the fixtures say and how many cases run; npm run capabilities -- --write --list mends it", async () => {
  const document = await readDocument()
  const columns = testedAdapters().map((adapter) => ({ adapter, report: reportWithoutFailures(casesOf(adapter)) }))
  assert.strictEqual(document, withMatrix(document, formatMatrix(columns)))
})
