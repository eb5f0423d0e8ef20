import type { BenchContext, RowGroup } from "../Bench.ts"
import type { Row as Comparison } from "../report/Row.ts"
import { events } from "./events.ts"
import { orders } from "./orders.ts"
import type { Row } from "./report.ts"
import { Server } from "./server.ts"
import { servers } from "./servers.ts"
import { size } from "./size.ts"

/** What `npm run bench:postgres` measures, on a server of its own whose files are on the disk. */
const sections = async ({ isQuick }: BenchContext): Promise<ReadonlyArray<Row>> => {
  const options = isQuick
    ? { rounds: 1, seconds: 0.3, rows: 20_000, calls: 20 }
    : { rounds: 5, seconds: 1, rows: 1_000_000, calls: 300 }
  const server = await Server.start()
  try {
    return [
      ...(await orders(server, options)),
      ...(await servers(server, options)),
      ...(await events(server)),
      ...(await size(server, options))
    ]
  } finally {
    await server.stop()
  }
}

export const postgresRows: ReadonlyArray<RowGroup> = [
  {
    name: "postgres",
    measure: async (context) =>
      (await sections(context)).flatMap(
        ({ comparison }): ReadonlyArray<Comparison> => (comparison === undefined ? [] : [comparison])
      )
  }
]
