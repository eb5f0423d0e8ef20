// Makes what a store stands on fail, at one place in each run, and checks that nothing acknowledged is lost or doubled: the system
// calls and statements of SQLite, or with --postgres the messages between a petstore and PostgreSQL. Exits with 1 on a finding.
// npm run test:faults [-- --postgres --of client --from 120 --to 120 --error cut-before --every 10 --seed 3 --lines]
import { parseArgs } from "node:util"
import type { AnyFault, FaultSuite } from "./FaultSuite.ts"
import { FaultTable } from "./FaultTable.ts"
import { failMessages } from "./postgres.ts"
import { failCalls } from "./sqlite.ts"

const { values } = parseArgs({
  options: {
    postgres: { type: "boolean", default: false },
    of: { type: "string" },
    from: { type: "string", default: "1" },
    to: { type: "string", default: "8192" },
    error: { type: "string" },
    persists: { type: "string" },
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "0" },
    first: { type: "boolean", default: false },
    lines: { type: "boolean", default: false }
  }
})
const [from = 1, to = 1, every = 1, seed = 0] = [values.from, values.to, values.every, values.seed].map(Number)
if (![from, to, every, seed + 1].every((number) => Number.isSafeInteger(number) && number > 0)) {
  console.error(
    "Usage: npm run test:faults -- [--of call|statement] [--error EIO] [--persists true|false] [--first] or --postgres [--of client|server|connection] [--error cut-before|cut-after|delay|late|double], with [--from NUMBER] [--to NUMBER] [--every NUMBER --seed NUMBER] [--lines]"
  )
  process.exit(2)
}

const commandOf = ({ at, error, of, persists }: AnyFault): string =>
  [
    `npm run test:faults -- ${values.postgres ? "--postgres " : ""}--of ${of} --from ${at} --to ${at} --error ${error}`,
    ...(persists === undefined ? [] : [`--persists ${persists}`]),
    "--lines"
  ].join(" ")

/** Runs the faults that the options choose. */
const runChosen = async <Fault extends AnyFault>({ faults, rowOf, run, title }: FaultSuite<Fault>): Promise<void> => {
  const chosen = faults
    .filter(({ of }) => values.of === undefined || of === values.of)
    .filter(({ at }) => at >= from && at <= to)
    .filter(({ error }) => values.error === undefined || error === values.error)
    .filter(({ persists }) => values.persists === undefined || `${persists}` === values.persists)
    .filter((_, index) => index % every === seed % every)
  console.log(`${title}, ${chosen.length} runs`)
  const start = performance.now()
  const table = new FaultTable()
  await run(chosen, (outcome) => {
    const { failed, fault, findings, lines } = outcome
    table.add(rowOf(outcome), outcome)
    if (findings.length > 0) console.log([commandOf(fault), failed, ...findings].join("\n  "))
    if (values.lines) console.log(lines.join("\n"))
  })
  console.log(table.text)
  const seconds = Math.round((performance.now() - start) / 1000)
  console.log(`${table.runs} runs in ${seconds} seconds, ${table.findings} with findings`)
  process.exitCode = table.findings === 0 ? 0 : 1
}

await (values.postgres ? failMessages(runChosen) : failCalls(values.first, runChosen))
