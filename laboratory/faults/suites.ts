import { memoryFolder } from "../../packages/adapters/test/support/memoryFolder.ts"
import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import type { MessageFault } from "../../packages/adapters/test/support/postgres/TcpProxy.ts"
import { withLibrary } from "../preloadedLibraries.ts"
import { allFaults, callsOf, faultsOfFirst, runFaults } from "./calls/faultRuns.ts"
import type { Fault } from "./calls/Scenario.ts"
import type { FaultSuite } from "./faultOutcomes.ts"
import { allMessageFaults, countMessages, runMessageFaults } from "./messages/messageRuns.ts"

/** Makes each system call and each statement of a SQLite store fail; with `first`, the first of each kind. */
export const failCalls = (first: boolean, use: (suite: FaultSuite<Fault>) => Promise<void>): Promise<void> =>
  withLibrary("failingCalls", "meet-faults", async ({ command, library }) => {
    const options = { command, library, parent: memoryFolder() }
    const summary = await callsOf(options)
    await use({
      title: `${summary.calls?.length} system calls, ${summary.statements?.length} statements`,
      faults: (first ? faultsOfFirst : allFaults)(summary),
      run: (faults, onOutcome) => runFaults(faults, options, onOutcome),
      rowOf: ({ failed, fault }) =>
        `${fault.of} ${fault.of === "call" ? failed?.split(" ")[0] : failed?.match(/^(prepare )?\w+/)?.[0]}`
    })
  })

/** Lets each message between a petstore and PostgreSQL fail, and opens each connection twice. */
export const failMessages = async (use: (suite: FaultSuite<MessageFault>) => Promise<void>): Promise<void> => {
  const server = await PostgresServer.create({ inMemory: true, settings: { fsync: false } })
  try {
    await server.start()
    const counts = await countMessages(server.url())
    await use({
      title: `${counts.client} messages of the client, ${counts.server} of the server, ${counts.connection} connections`,
      faults: allMessageFaults(counts),
      run: (faults, onOutcome) => runMessageFaults(faults, server.url(), onOutcome),
      rowOf: ({ failed, fault }) => `${fault.of} ${failed === "" ? "start" : failed} ${fault.error}`
    })
  } finally {
    await server.remove()
  }
}
