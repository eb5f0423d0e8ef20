// Removes one guard after the other in a copy of the sources, and reports which faults no test catches:
// npm run mutants [-- FILTER]. FILTER is a subject of scripts/mutants/guards, or a part of a file name or of a fault, for example
// npm run mutants -- leases
// With --postgres: the locks in the statements of the PostgreSQL adapter, and the guards of calls in transactions of the host
// application, on a server of its own.
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import type { Outcome } from "./FirstFailure.ts"
import { guardMutants } from "./guardMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { hostMutants, postgresMutants } from "./statementMutants.ts"
import { type Batch, hostSuite, postgresSuite, type Suite, Trial } from "./Trial.ts"

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

const all: ReadonlyArray<Batch> = postgres
  ? [
      { name: "postgres", suite: postgresSuite, mutants: await postgresMutants(repository) },
      { name: "host", suite: hostSuite, mutants: await hostMutants(repository) }
    ]
  : await guardMutants(repository)
const subject = all.find(({ name }) => name === part)
const batches = (subject === undefined ? all : [subject])
  .map(({ mutants, name, suite }) => ({
    name,
    suite,
    mutants: subject === undefined ? mutants.filter((mutant) => nameOf(mutant).includes(part)) : mutants
  }))
  .filter(({ mutants }) => mutants.length > 0)
if (batches.length === 0) {
  console.error(
    `No mutant matches ${JSON.stringify(part)}. Pass a subject, or a part of a file name or of a fault, such as Worker.ts.`
  )
  process.exit(2)
}

const survivors: Array<Mutant> = []

/** Tries mutants until none is left. */
const work = async (suite: Suite, waiting: Array<Mutant>): Promise<void> => {
  await using trial = await Trial.open(repository, suite)
  const unchanged = await trial.run()
  if (!unchanged.passed) throw new Error(`The tests fail without a mutant: ${unchanged.test}: ${unchanged.message}`)
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const outcome = await trial.try(mutant)
    if (outcome.passed) survivors.push(mutant)
    console.log(shown(mutant, outcome))
  }
}

/** Tries the mutants of a subject, and reports how many were caught. */
const tryAll = async ({ mutants, name, suite }: Batch): Promise<void> => {
  const started = performance.now()
  const survivedBefore = survivors.length
  const waiting = [...mutants]
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, () => work(suite, waiting)))
  const caught = mutants.length - (survivors.length - survivedBefore)
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(`${name}: ${mutants.length} mutants, ${caught} caught, in ${seconds} s`)
}

const server = postgres ? await PostgresServer.create({ settings: { fsync: false } }) : undefined
try {
  if (server !== undefined) {
    await server.start()
    process.env.PETSTORE_TEST_POSTGRES_URL = server.url()
  }
  for (const batch of batches) await tryAll(batch)
} finally {
  await server?.remove()
}
process.exitCode = survivors.length === 0 ? 0 : 1
