import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory, type StorageAdapter } from "@petstore/core"
import { checkInvariants, formatReport, inGroups, petstoreContract, runContract } from "@petstore/testing"
import { Effect } from "effect"

const folder = await mkdtemp(join(tmpdir(), "petstore-contract-"))
let files = 0

const storages: Readonly<Record<string, () => StorageAdapter>> = {
  memory,
  SQLite: () => sqlite(join(folder, `${++files}.db`))
}

/** The engine contract on what is installed, for each storage: whether it holds, and the report. */
// SQLite takes its time for each file, so there it is the groups where much happens at once.
const groups = ["orders", "idempotency", "races"]
const reports: Record<string, { readonly ok: boolean; readonly text: string }> = {}
for (const [name, storage] of Object.entries(storages)) {
  const open = Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: storage() })),
    (petstore) => Effect.promise(() => petstore.close())
  )
  const cases = petstoreContract({ open, afterEach: checkInvariants })
  const wanted = name === "memory" ? cases : inGroups(cases, groups)
  const report = await Effect.runPromise(runContract(wanted))
  reports[name] = { ok: report.ok, text: formatReport(report) }
}
await rm(folder, { recursive: true, force: true })
console.log(JSON.stringify(reports))
