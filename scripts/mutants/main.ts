// Removes, weakens and reorders one lock after the other in a copy of core, and reports which faults no test catches:
// npm run mutants [-- FILTER], for example npm run mutants -- Orders.ts
// With --postgres: the locks in the statements of the PostgreSQL adapter, on a server of its own.
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import type { Outcome } from "./FirstFailure.ts"
import type { Mutant } from "./Mutant.ts"
import { mutantsOf } from "./mutantsOf.ts"
import { postgresMutants } from "./statementMutants.ts"
import { coreSuite, postgresSuite, Trial } from "./Trial.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const {
  positionals: [part = ""],
  values: { postgres = false }
} = parseArgs({ allowPositionals: true, options: { postgres: { type: "boolean" } } })

const nameOf = ({ fault, file, line }: Mutant): string =>
  `${file.replace(/^packages\/\w+\/src\//, "")}:${line} ${fault}`

const shown = (mutant: Mutant, outcome: Outcome): string =>
  outcome.passed
    ? `SURVIVED ${nameOf(mutant)}`
    : `caught   ${nameOf(mutant)}\n         by ${outcome.test}\n         ${outcome.message}`

const all = postgres ? await postgresMutants(repository) : await mutantsOf(repository)
const mutants = all.filter((mutant) => nameOf(mutant).includes(part))
if (mutants.length === 0) {
  console.error(
    `No mutant matches ${JSON.stringify(part)}. Pass a part of a file name or of a fault, such as Orders.ts.`
  )
  process.exit(2)
}

const waiting = [...mutants]
const survivors: Array<Mutant> = []

/** Tries mutants until none is left. */
const work = async (): Promise<void> => {
  await using trial = await Trial.open(repository, postgres ? postgresSuite : coreSuite)
  const unchanged = await trial.run()
  if (!unchanged.passed) throw new Error(`The tests fail without a mutant: ${unchanged.test}: ${unchanged.message}`)
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const outcome = await trial.try(mutant)
    if (outcome.passed) survivors.push(mutant)
    console.log(shown(mutant, outcome))
  }
}

const server = postgres ? await PostgresServer.create({ settings: { fsync: false } }) : undefined
const started = performance.now()
try {
  if (server !== undefined) {
    await server.start()
    process.env.PETSTORE_TEST_POSTGRES_URL = server.url()
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
} finally {
  await server?.remove()
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${mutants.length} mutants, ${mutants.length - survivors.length} caught, in ${seconds} s`)
process.exitCode = survivors.length === 0 ? 0 : 1
