import { assert, it } from "vitest"
import { compareToAccepted, dayOf, report } from "./accepted.ts"

it("given the contract, then its document is the accepted one", async () => {
  const { changes, isAccepted } = await compareToAccepted(dayOf(new Date()))
  const how = changes.some(({ breaking }) => breaking)
    ? 'Undo the breaking changes, or announce them: npm run openapi:accept -- --breaking "why, and what to do"'
    : "If the change is intended: npm run openapi:accept"
  assert.isTrue(isAccepted, `The document changed.\n${report(changes)}\n${how}`)
})
