import { assert, it } from "vitest"
import { compareToAccepted, dayOf, report } from "./accepted.ts"

it("given the contract, when its document is made, then it is the accepted one", async () => {
  const { changes, isAccepted } = await compareToAccepted(dayOf(new Date()))
  const how = changes.some(({ breaking }) => breaking)
    ? 'Undo what is breaking, or announce it: npm run openapi:accept -- --breaking "why, and what to do"'
    : "If it is meant: npm run openapi:accept"
  assert.isTrue(isAccepted, `The document changed.\n${report(changes)}\n${how}`)
})
