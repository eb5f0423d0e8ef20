// The figures of the PostgreSQL adapter: `npm run bench:postgres`. Starts a server of its own that syncs every commit, and
// compares the product with transactions written by hand over `pg` on the same tables. Variants alternate within each
// round, so that other load on the machine affects all of them; ratios are taken within a round.
// Options: --only orders,servers,events,size,kit; --rounds N (5); --seconds N for each measurement (1); --rows N of the
// large store (1000000); --calls N of each operation in the stores of different sizes (300).

import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { events } from "./postgres/events.ts"
import { kit } from "./postgres/kit.ts"
import { orders } from "./postgres/orders.ts"
import { load, print, type Row } from "./postgres/report.ts"
import { Server } from "./postgres/server.ts"
import { servers } from "./postgres/servers.ts"
import { size } from "./postgres/size.ts"
import { syncTime } from "./postgres/syncTime.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    rows: { type: "string", default: "1000000" },
    calls: { type: "string", default: "300" }
  }
})
const options = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  rows: Number(values.rows),
  calls: Number(values.calls)
}

const sections: Readonly<Record<string, (server: Server) => Promise<ReadonlyArray<Row>>>> = {
  orders: (server) => orders(server, options),
  servers: (server) => servers(server, options),
  events,
  size: (server) => size(server, options),
  kit
}

const chosen = values.only?.split(",") ?? Object.keys(sections)
const unknown = chosen.find((name) => !(name in sections))
if (unknown !== undefined) {
  console.error(`There is no section ${unknown}. Choose from ${Object.keys(sections).join(", ")}.`)
  process.exit(2)
}

const server = await Server.start()
try {
  console.log(`${cpus().length} processors, ${cpus()[0]?.model}, load ${load()}, Node.js ${process.version}`)
  console.log(`a sync of the disk takes ${syncTime().toFixed(1)} ms (median); slow syncs hide what transactions cost`)
  const rows: Array<Row> = []
  for (const name of chosen) rows.push(...((await sections[name]?.(server)) ?? []))
  console.log(`\nload ${load()}, a sync of the disk ${syncTime().toFixed(1)} ms`)
  if (!print(rows)) process.exitCode = 1
} finally {
  await server.stop()
}
