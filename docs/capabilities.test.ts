import { assert, it } from "vitest"
import { testedAdapters } from "../laboratory/capabilities/adapters.ts"
import { formatCapabilities, readDocument, withTable } from "../laboratory/capabilities/matrix.ts"
import { casesOf, reportWithoutFailures } from "../laboratory/capabilities/TestedAdapter.ts"

it("docs/capabilities.md shows what the fixtures say; npm run lab -- capabilities --write --list mends it", async () => {
  const document = await readDocument()
  const columns = testedAdapters().map((adapter) => ({ adapter, report: reportWithoutFailures(casesOf(adapter)) }))
  assert.strictEqual(document, withTable(document, formatCapabilities(columns)))
})
