// How many cases of the contracts each adapter passes: all of them run.

import { runContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { testedAdapters } from "../../scripts/capabilities/adapters.ts"
import { casesOf } from "../../scripts/capabilities/TestedAdapter.ts"
import type { Row } from "./report.ts"

export const kit = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const adapter of testedAdapters()) {
    const cases = casesOf(adapter)
    // Subscriptions and idle connections, which some cases wait for, do not keep a process running.
    const running = setInterval(() => {}, 1000)
    try {
      const report = await Effect.runPromise(Effect.provide(runContract(cases), Logger.layer([])))
      for (const { group, name } of report.failed) console.log(`  ${adapter.name} fails: ${group}: ${name}`)
      const skipped = report.skipped.length === 0 ? "" : `, ${report.skipped.length} that it cannot have`
      rows.push({
        figure: `cases of the contracts, ${adapter.name}`,
        value: `${report.passed.length} of ${cases.length} passed${skipped}`,
        target: "all",
        passed: report.failed.length === 0
      })
    } finally {
      clearInterval(running)
      await adapter.close?.()
    }
  }
  return rows
}
