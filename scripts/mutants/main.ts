// Removes, weakens and reorders one lock after the other in a copy of core, and reports which faults no test catches:
// npm run mutants [-- FILTER], for example npm run mutants -- Orders.ts
// With --postgres: the locks in the statements of the PostgreSQL adapter, and the guards of calls in transactions of the host
// application, on a server of its own. With --guards: the guards of leases, fences, files, HTTP and idempotency.
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import type { Outcome } from "./FirstFailure.ts"
import { guardMutants } from "./guardMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { mutantsOf } from "./mutantsOf.ts"
import { hostMutants, postgresMutants } from "./statementMutants.ts"
import { coreSuite, hostSuite, postgresSuite, type Suite, Trial } from "./Trial.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const {
  positionals: [part = ""],
  values: { guards = false, postgres = false }
} = parseArgs({ allowPositionals: true, options: { guards: { type: "boolean" }, postgres: { type: "boolean" } } })

const nameOf = ({ fault, file, line }: Mutant): string =>
  `${file.replace(/^packages\/\w+\/src\//, "")}:${line} ${fault}`

const shown = (mutant: Mutant, outcome: Outcome): string =>
  outcome.passed
    ? `SURVIVED ${nameOf(mutant)}`
    : `caught   ${nameOf(mutant)}\n         by ${outcome.test}\n         ${outcome.message}`

/** Mutants, and the tests that should catch them. */
interface Batch {
  readonly suite: Suite
  readonly mutants: ReadonlyArray<Mutant>
}

const all: ReadonlyArray<Batch> = postgres
  ? [
      { suite: postgresSuite, mutants: await postgresMutants(repository) },
      { suite: hostSuite, mutants: await hostMutants(repository) }
    ]
  : guards
    ? await guardMutants(repository)
    : [{ suite: coreSuite, mutants: await mutantsOf(repository) }]
const batches = all
  .map(({ mutants, suite }) => ({ suite, mutants: mutants.filter((mutant) => nameOf(mutant).includes(part)) }))
  .filter(({ mutants }) => mutants.length > 0)
const count = batches.reduce((sum, { mutants }) => sum + mutants.length, 0)
if (count === 0) {
  console.error(
    `No mutant matches ${JSON.stringify(part)}. Pass a part of a file name or of a fault, such as Orders.ts.`
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

const server = postgres ? await PostgresServer.create({ settings: { fsync: false } }) : undefined
const started = performance.now()
try {
  if (server !== undefined) {
    await server.start()
    process.env.PETSTORE_TEST_POSTGRES_URL = server.url()
  }
  for (const { mutants, suite } of batches) {
    const waiting = [...mutants]
    await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, () => work(suite, waiting)))
  }
} finally {
  await server?.remove()
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${count} mutants, ${count - survivors.length} caught, in ${seconds} s`)
process.exitCode = survivors.length === 0 ? 0 : 1
