import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import type { MessageFault } from "../../packages/adapters/test/support/postgres/TcpProxy.ts"
import type { FaultSuite } from "./FaultSuite.ts"
import { allMessageFaults, countMessages, runMessageFaults } from "./messages/messageRuns.ts"

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
