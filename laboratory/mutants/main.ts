import { availableParallelism } from "node:os"
import { PostgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import { root } from "../../packages/test/support/workspace.ts"
import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import { guardMutants } from "./guardMutants.ts"
import { hostMutants, postgresMutants } from "./statementMutants.ts"
import { type Batch, hostSuite, type Mutant, type Outcome, postgresSuite, Trial } from "./Trial.ts"

const nameOf = ({ fault, file, line }: Mutant): string =>
  `${file.replace(/^packages\/\w+\/src\//, "")}:${line} ${fault}`

const shown = (mutant: Mutant, outcome: Outcome): string =>
  outcome.passed
    ? `SURVIVED ${nameOf(mutant)}`
    : `caught   ${nameOf(mutant)}\n         by ${outcome.test}\n         ${outcome.message}`

/** The batches of a subject, or with the mutants that have this part in their names. */
const chosenOf = (all: ReadonlyArray<Batch>, part: string): ReadonlyArray<Batch> => {
  const subject = all.find(({ name }) => name === part)
  const batches =
    subject === undefined
      ? all
          .map((batch) => ({ ...batch, mutants: batch.mutants.filter((mutant) => nameOf(mutant).includes(part)) }))
          .filter(({ mutants }) => mutants.length > 0)
      : [subject]
  if (batches.length > 0) return batches
  throw new UsageError(
    `No mutant matches ${JSON.stringify(part)}. Pass a subject, or a part of a file name or of a fault, such as Worker.ts.`
  )
}

/** Tries the mutants of a subject, each on its tests, and reports how many were caught. */
const tryAll = async (lab: Lab, { mutants, name, suite }: Batch): Promise<void> => {
  const waiting = [...mutants]
  let caught = 0
  const work = async (): Promise<void> => {
    await using trial = await Trial.open(root, suite)
    const unchanged = await trial.run()
    if (!unchanged.passed) throw new Error(`The tests fail without a mutant: ${unchanged.test}: ${unchanged.message}`)
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const outcome = await trial.try(mutant)
      if (outcome.passed) lab.found(shown(mutant, outcome), `--only ${JSON.stringify(mutant.fault)}`)
      else {
        caught++
        lab.log(shown(mutant, outcome))
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
  lab.log(`${name}: ${mutants.length} mutants, ${caught} caught, ${lab.seconds}`)
}

/** The locks in the statements of PostgreSQL, and the guards of calls in transactions of hosts, on a server of its own. */
const tryOnPostgres = async (lab: Lab, part: string): Promise<void> => {
  const server = await PostgresServer.create({ settings: { fsync: false } })
  try {
    await server.start()
    process.env.PETSTORE_TEST_POSTGRES_URL = server.url()
    const all = [
      { name: "postgres", suite: postgresSuite, mutants: await postgresMutants(root) },
      { name: "host", suite: hostSuite, mutants: await hostMutants(root) }
    ]
    for (const batch of chosenOf(all, part)) await tryAll(lab, batch)
  } finally {
    await server.remove()
  }
}

/** Removes one guard after the other in a copy of the sources, and reports which faults no test catches. */
export const ask = async (
  lab: Lab<{ readonly only: string | undefined; readonly postgres: boolean }>
): Promise<void> => {
  const { only = "", postgres } = lab.flags
  if (postgres) return tryOnPostgres(lab, only)
  for (const batch of chosenOf(await guardMutants(root), only)) await tryAll(lab, batch)
}
