// Lets many objects outlive a collection, and prints the bytes of the young generation: `node youngGeneration.ts [limit]`.

import { getHeapSpaceStatistics } from "node:v8"
import { limitYoungGeneration } from "../../src/cli/youngGeneration.ts"

if (process.argv[2] === "limit") limitYoungGeneration()

const alive: Array<object> = new Array(50_000)
for (let index = 0; index < 5_000_000; index++) alive[(index * 7_919) % alive.length] = { index, list: [index] }

process.stdout.write(`${getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size}\n`)
