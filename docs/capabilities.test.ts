import { assert, it } from "vitest"
import { testedAdapters } from "../scripts/capabilities/adapters.ts"
import { readDocument, withTable } from "../scripts/capabilities/document.ts"
import { formatCapabilities } from "../scripts/capabilities/matrix.ts"
import { casesOf, reportWithoutFailures } from "../scripts/capabilities/TestedAdapter.ts"

it("docs/capabilities.md shows what the fixtures say; npm run capabilities -- --write --list mends it", async () => {
  const document = await readDocument()
  const columns = testedAdapters().map((adapter) => ({ adapter, report: reportWithoutFailures(casesOf(adapter)) }))
  assert.strictEqual(document, withTable(document, formatCapabilities(columns)))
})
