// Runs random histories in every way to call a petstore, and compares results, errors and events: npm run differential
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { postgresServer } from "../../packages/adapters/test/support/postgres/PostgresServer.ts"
import { compare, type Difference } from "./compare.ts"
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

const program = Effect.gen(function* () {
  const server = yield* postgresServer({ inMemory: true, settings: { fsync: false } })
  const ways = { ...localWays, ...postgresWays(server.url()) }
  const found: Array<Difference> = []
  let calls = 0
  for (let seed = first; seed < first + sequences; seed++) {
    const compared = yield* compare(ways, seed)
    calls += compared.calls
    for (const difference of compared.differences) {
      found.push(difference)
      console.log(`${JSON.stringify(difference, null, 2)}\nAgain: npm run differential -- --seed ${seed} --sequences 1`)
    }
  }
  console.log(`${sequences} sequences in ${Object.keys(ways).length} ways: ${calls} calls, ${found.length} differences`)
  return found.length === 0
})

console.log(`seed ${first}`)
process.exitCode = (await Effect.runPromise(Effect.scoped(program))) ? 0 : 1
