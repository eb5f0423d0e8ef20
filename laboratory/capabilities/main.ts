import { writeFile } from "node:fs/promises"
import { formatReport, runContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { Lab } from "../Lab.ts"
import { testedAdapters } from "./adapters.ts"
import { documentFile, formatCapabilities, formatCounts, readDocument, withTable } from "./matrix.ts"
import { type AdapterReport, casesOf, reportWithoutFailures, type TestedAdapter } from "./TestedAdapter.ts"

const run = async (adapter: TestedAdapter): Promise<AdapterReport> => {
  const started = performance.now()
  try {
    // Stores log the faults that the cases cause.
    const report = await Effect.runPromise(Effect.provide(runContract(casesOf(adapter)), Logger.layer([])))
    console.error(`${adapter.name}: ${Math.round((performance.now() - started) / 1000)} s, ${formatReport(report)}`)
    return report
  } finally {
    await adapter.close?.()
  }
}

/** Runs all contracts on all adapters, and prints what each can do. */
export const ask = async (lab: Lab<{ readonly write: boolean; readonly list: boolean }>): Promise<void> => {
  const { list, write } = lab.flags
  // Stores let a process end while they only wait for commits of others.
  const awake = setInterval(() => {}, 60_000)
  const columns: Array<{ readonly adapter: TestedAdapter; readonly report: AdapterReport }> = []
  for (const adapter of testedAdapters())
    columns.push({ adapter, report: list ? reportWithoutFailures(casesOf(adapter)) : await run(adapter) })
  clearInterval(awake)
  const table = formatCapabilities(columns)
  lab.log(`${table}\n\n${formatCounts(columns)}`)
  if (columns.some(({ report }) => report.failed.length > 0)) lab.found("A case fails")
  else if (write) await writeFile(documentFile, withTable(await readDocument(), table))
}
