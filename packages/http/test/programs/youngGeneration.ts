// Lets many objects outlive a collection, and prints the bytes of the young generation: `node youngGeneration.ts [limit] [shrink] [burst]`.
// With `shrink`, V8 shrinks it first, as it does while a server is idle. With `burst`, they are made in one turn of the event loop.

import { setTimeout } from "node:timers/promises"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { limitYoungGeneration } from "../../src/cli/youngGeneration.ts"

const options = process.argv.slice(2)
const size = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? Number.NaN

if (options.includes("limit")) limitYoungGeneration()
if (options.includes("shrink")) {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")({ type: "major", execution: "sync", flavor: "last-resort" })
  if (!(size() < 4 * 2 ** 20)) throw new Error(`V8 has not shrunk it: ${size()} bytes`)
}

if (options.includes("shrink")) await setTimeout(50)

const alive: Array<object> = new Array(options.includes("burst") ? 1_000_000 : 50_000)
for (let turn = 0; turn < 50; turn++) {
  for (let index = 0; index < 100_000; index++) alive[(index * 7_919) % alive.length] = { index, list: [index] }
  // What follows a collection runs in a later turn of the event loop.
  if (!options.includes("burst")) await setTimeout(0)
}
await setTimeout(50)

process.stdout.write(`${size()}\n`)
