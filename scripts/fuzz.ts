import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import { fuzz } from "../packages/http/test/fuzz/fuzz.ts"

const { values } = parseArgs({ options: { seed: { type: "string" }, cases: { type: "string", default: "5000" } } })
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const cases = Number(values.cases)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(cases) || cases < 1) {
  console.error("Usage: npm run test:fuzz -- [--seed WHOLE_NUMBER] [--cases WHOLE_NUMBER]")
  process.exit(2)
}

console.log(`seed ${seed}`)
const start = performance.now()
const { expectations, findings, statuses } = await Effect.runPromise(fuzz(seed, cases))
const minutes = (performance.now() - start) / 60_000
for (const finding of findings.slice(0, 20)) console.log(JSON.stringify(finding, null, 2))
console.log(`${cases} cases, ${Math.round(cases / minutes)} a minute, ${findings.length} findings`)
console.log(`requests: ${JSON.stringify(expectations)}`)
console.log(`responses: ${JSON.stringify(statuses)}`)
process.exitCode = findings.length === 0 ? 0 : 1
