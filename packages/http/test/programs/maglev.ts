// Prints whether V8 compiles a busy function with Maglev: `node maglev.ts [disable]`.

import { setFlagsFromString } from "node:v8"
import { disableMaglev } from "../../src/cli/maglev.ts"

if (process.argv[2] === "disable") disableMaglev()

setFlagsFromString("--allow-natives-syntax")
const isCompiledByMaglev = new Function("busy", "return %ActiveTierIsMaglev(busy)")

const busy = (value: number): number => (value * 31 + 7) % 1_000_003
let value = 1
let seen = false
const end = performance.now() + 5_000
for (let round = 0; !seen && round < 2_000 && performance.now() < end; round++) {
  for (let call = 0; call < 100; call++) value = busy(value)
  seen = isCompiledByMaglev(busy)
  // Maglev compiles in a thread, whose code is installed between turns.
  await new Promise((resolve) => setImmediate(resolve))
}

process.stdout.write(`${seen}\n`)
