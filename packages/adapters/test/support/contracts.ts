import process from "node:process"
import { commitModes } from "./postgres/commitModes.ts"

const isAll = process.env.PETSTORE_CONTRACTS === "all"

/**
 * Whether a command is tried in a transaction of a library that ends early: all of them with one library of each engine, because
 * others only pass statements on.
 */
const isTriedIn = (library: string, command: string): boolean =>
  isAll ||
  ["pg", "synchronous Drizzle"].includes(library) ||
  ["orders.place with a key", "pets.delete", "pets.get", "orders.place with a used key"].includes(command)

/** Whether a host rolls back to a savepoint of this place at that one: at the next statement, and at the last. */
const isTriedBetween = (from: number, to: number, statements: number): boolean =>
  isAll || to === from + 1 || to === statements

/**
 * Which ways of opening a petstore the engine contract runs on: the usual ones in the tests of every change, and all of them
 * with `npm run test:contract:all`. Each way left out has its own tests, and runs the storage contract.
 */
export const contracts = {
  commitModes: isAll ? commitModes : { "with shared commits": commitModes["with shared commits"] },
  hostLibraries: isAll ? (["pg", "Kysely", "Drizzle"] as const) : (["pg"] as const),
  enginesOnPglite: isAll,
  allOverHttp: isAll,
  isTriedIn,
  isTriedBetween
}
