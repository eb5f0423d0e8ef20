import process from "node:process"
import { commitModes } from "./postgres/commitModes.ts"

const isAll = process.env.PETSTORE_CONTRACTS === "all"

/**
 * Which ways of opening a petstore the engine contract runs on: the usual ones in the tests of every change, and all of them
 * with `npm run test:contract:all`. Each way left out has its own tests, and runs the storage contract.
 */
export const contracts = {
  commitModes: isAll ? commitModes : { "with shared commits": commitModes["with shared commits"] },
  hostLibraries: isAll ? (["pg", "Kysely", "Drizzle"] as const) : (["pg"] as const),
  enginesOnPglite: isAll
}

if (!isAll) {
  process.stdout.write(
    "The engine contract runs with a commit each, in transactions of Kysely and Drizzle, and on PGlite with npm run test:contract:all: it takes minutes.\n"
  )
}
