import process from "node:process"
import type { Petstore } from "@petstore/core"
import { type ContractCase, checkInvariants, inGroups, type PetstoreFixture, petstoreContract } from "@petstore/testing"
import { commitModes } from "./postgres/commitModes.ts"

const isAll = process.env.PETSTORE_TEST_CONTRACTS === "all"

/** Commands with the longest and the most different sequences of statements. */
const telling = ["orders.place with a key", "orders.list", "pets.delete", "webhooks.redeliver"]

/** The libraries of each engine on which they are all tried. Others only pass statements on. */
const fullyTried = ["pg", "synchronous Drizzle"]

/** Whether a command is tried in a transaction of a library that ends early. */
const isTriedIn = (library: string, command: string): boolean =>
  isAll || (fullyTried.includes(library) ? telling : ["orders.place with a key", "pets.get"]).includes(command)

/** Whether a command is tried in a transaction that a host rolls back to its savepoints. */
const isTriedWithSavepoints = (command: string): boolean =>
  isAll || ["orders.place with a key", "pets.delete"].includes(command)

/** Whether a host rolls back to a savepoint of this place at that one: at the next statement, and at the last. */
const isTriedBetween = (from: number, to: number, statements: number): boolean =>
  isAll || to === from + 1 || to === statements

const sampledGroups = ["orders", "baskets", "API keys", "idempotency", "races"]

/**
 * Which ways of opening a petstore the engine contract runs on: the usual ones in the tests of every change, and all of them
 * with `npm run lab -- contracts`. Each way left out has its own tests.
 */
export const contracts = {
  /** The cases that differ most in their statements, for transactions of hosts, and for libraries and poolers that only pass statements on. */
  sampled: (cases: ReadonlyArray<ContractCase>): ReadonlyArray<ContractCase> =>
    isAll ? cases : inGroups(cases, sampledGroups),
  /** The whole engine contract. Verification, the same code on every store, follows the cases of the groups above. */
  petstore: (open: PetstoreFixture<Petstore>["open"]): ReadonlyArray<ContractCase> => {
    const verified = petstoreContract({ open, afterEach: checkInvariants })
    if (isAll) return verified
    const others = petstoreContract({ open }).filter(({ group }) => !sampledGroups.includes(group))
    return [...inGroups(verified, sampledGroups), ...others]
  },
  commitModes: isAll ? commitModes : { "with shared commits": commitModes["with shared commits"] },
  sqliteLibraries: isAll ? ["node:sqlite", "Kysely", "Drizzle"] : ["node:sqlite", "Drizzle"],
  hostLibraries: isAll ? ["pg", "Kysely", "Drizzle"] : ["pg"],
  enginesOnPglite: isAll,
  allOverHttp: isAll,
  isTriedIn,
  isTriedWithSavepoints,
  isTriedBetween
}
