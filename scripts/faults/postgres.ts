// Lets each message between a petstore and PostgreSQL fail, one in each run, and checks that nothing acknowledged is lost or doubled:
// npm run test:faults -- --postgres [--from 120 --to 120 --sender client --fault cut-before --every 10 --seed 3]. Exits with 1 on a finding.
import { parseArgs } from "node:util"
import {
  allMessageFaults,
  countMessages,
  runMessageFaults
} from "../../packages/adapters/test/support/failingMessages/messageRuns.ts"
import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import { type MessageFault, messageFaults, senders } from "../../packages/adapters/test/support/postgres/TcpProxy.ts"
import { FaultTable } from "./FaultTable.ts"

const { values } = parseArgs({
  options: {
    postgres: { type: "boolean" },
    from: { type: "string", default: "1" },
    to: { type: "string", default: "8192" },
    sender: { type: "string" },
    fault: { type: "string" },
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "0" }
  }
})
const [from = 1, to = 1, every = 1, seed = 0] = [values.from, values.to, values.every, values.seed].map(Number)
const isAmong = (value: string | undefined, all: ReadonlyArray<string>) => value === undefined || all.includes(value)
if (
  ![from, to, every, seed + 1].every((number) => Number.isSafeInteger(number) && number > 0) ||
  !isAmong(values.sender, senders) ||
  !isAmong(values.fault, messageFaults)
) {
  console.error(
    `Usage: npm run test:faults -- --postgres [--from NUMBER] [--to NUMBER] [--sender ${senders.join("|")}] [--fault ${messageFaults.join("|")}] [--every NUMBER --seed NUMBER]`
  )
  process.exit(2)
}

const command = ({ at, fault, from }: MessageFault): string =>
  `npm run test:faults -- --postgres --from ${at} --to ${at} --sender ${from} --fault ${fault}`

const server = await PostgresServer.create({ inMemory: true, settings: { fsync: false } })
const start = performance.now()
const table = new FaultTable()
try {
  await server.start()
  const messages = await countMessages(server.url())
  const faults = allMessageFaults(messages)
    .filter(({ at }) => at >= from && at <= to)
    .filter((fault) => values.sender === undefined || fault.from === values.sender)
    .filter(({ fault }) => values.fault === undefined || fault === values.fault)
    .filter((_, index) => index % every === seed % every)
  console.log(`${messages.client} messages of the client, ${messages.server} of the server, ${faults.length} runs`)
  await runMessageFaults(faults, server.url(), ({ fault, run }) => {
    table.add(`${fault.from} ${fault.fault}`, run.findings.length > 0, run.rejections > 0)
    if (run.findings.length > 0) console.log([command(fault), `message ${run.failed}`, ...run.findings].join("\n  "))
  })
} finally {
  await server.remove()
}
console.log(table.text)
console.log(
  `${table.runs} runs in ${Math.round((performance.now() - start) / 1000)} seconds, ${table.findings} with findings`
)
process.exitCode = table.findings === 0 ? 0 : 1
