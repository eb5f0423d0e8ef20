// Runs the contracts and the model in memory until a case fails, and prints its name; with ALL_GROUPS, to their end, and prints the groups
// with a case that fails, a line each. Exits with 0 if none does.
import { checkInvariants, embeddedContract, modelContract, petstoreContract, storageContract } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { memoryPetstores, memoryStores } from "../../packages/core/test/support/memoryFixtures.ts"

const fixture = { open: memoryPetstores.open, afterEach: checkInvariants }
/** They wait for leases in real time. */
const slow = ["consumers", "consumers of several petstores", "reservations that end"]
const cases = [
  ...petstoreContract(fixture),
  ...embeddedContract(memoryPetstores),
  ...modelContract(fixture, { runs: 60, size: 60 }),
  ...storageContract(memoryStores)
].filter(({ group, skip }) => skip === undefined && !slow.includes(group))

const findsAll = process.env.ALL_GROUPS === "1"
/** Milliseconds after which a case fails: a fault may make it wait for ever. */
const patience = findsAll ? 5_000 : 20_000

const { log } = console
console.log = () => {}
process.on("uncaughtException", () => {})
process.on("unhandledRejection", () => {})
const seeing = new Set<string>()
for (const { group, name, run } of cases) {
  if (seeing.has(group)) continue
  const passes = await Promise.race([
    Effect.runPromise(run).then(
      () => true,
      () => false
    ),
    new Promise<boolean>((resolve) => setTimeout(resolve, patience, false).unref())
  ])
  if (!passes && !findsAll) {
    log(`${group}: ${name}`)
    process.exit(1)
  }
  if (!passes) seeing.add(group)
}
for (const group of seeing) log(group)
process.exit(seeing.size === 0 ? 0 : 1)
