// Runs random sequences of calls in every way to call a petstore, and compares results, errors and events: npm run differential
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { postgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import { compare } from "./compare.ts"
import { localWays, postgresWays } from "./ways.ts"

const { values } = parseArgs({
  options: { seed: { type: "string" }, sequences: { type: "string", default: "2000" } }
})
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const sequences = Number(values.sequences)
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(sequences) || sequences < 1) {
  console.error("Usage: npm run differential -- [--seed WHOLE_NUMBER] [--sequences WHOLE_NUMBER]")
  process.exit(2)
}

// The petstores log what these calls do wrong.
const { log } = console
console.log = () => {}

const program = Effect.gen(function* () {
  const server = yield* postgresServer({ inMemory: true, settings: { fsync: false } })
  const all = { ...localWays, ...(yield* postgresWays(server.url())) }
  // PGlite takes longer than all others together.
  const { PGlite: _, ...quick } = all
  const start = performance.now()
  let differences = 0
  for (let seed = first; seed < first + sequences; seed++) {
    const difference = yield* compare(seed % 20 === 0 ? all : quick, seed)
    if (difference === undefined) continue
    differences++
    const { steps, ...found } = difference
    log(JSON.stringify(found, null, 2))
    for (const step of steps) log(`  ${JSON.stringify(step)}`)
    log(`Again: npm run differential -- --seed ${seed} --sequences 1`)
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  log(`${sequences} sequences in ${Object.keys(all).length} ways: ${differences} differ, ${seconds} s`)
  return differences === 0
})

log(`seed ${first}`)
process.exitCode = (await Effect.runPromise(Effect.scoped(program))) ? 0 : 1
