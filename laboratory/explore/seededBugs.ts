import type { Petstore } from "@petstore/core"
import { PreconditionFailed } from "@petstore/core/domain"
import { Failed, type Transaction } from "@petstore/core/kernel"
import { orders, pets } from "@petstore/core/tables"
import { petstoreCommands } from "./commands.ts"
import type { Program } from "./RunningCommand.ts"

/** The same transaction with other operations. */
export const replaced = (transaction: Transaction, operations: Partial<Transaction>): Transaction =>
  new Proxy(transaction, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in operations ? operations : target, name)
      return typeof value === "function" ? value.bind(target) : value
    }
  })

type Begin = Program["begin"]

/** A fault that was put into commands on purpose. */
export interface SeededBug {
  readonly name: string
  readonly broken: ReadonlyArray<Program>
  readonly correct: ReadonlyArray<Program>
}

const unconditional = "date order 1"

/** The commands that the bugs are put into. */
export const commandsWithBugs: typeof petstoreCommands = {
  ...petstoreCommands,
  commands: {
    ...petstoreCommands.commands,
    [unconditional]: ({ orders }: Petstore) => orders.update(1, { shipDate: "2031-01-01T00:00:00.000Z" })
  }
}

const onlyFinding =
  (begin: Begin): Begin =>
  (tx) =>
    begin(replaced(tx, { lock: (table, key) => tx.find(table, key), lockShared: (table, key) => tx.find(table, key) }))

const lockingLastPetFirst = (begin: Begin): Begin =>
  function* (tx) {
    yield* tx.lock(orders, 1)
    for (const id of [2, 1]) yield* tx.lock(pets, id)
    return yield* begin(tx)
  }

const checkingBeforeItLocks = (begin: Begin): Begin =>
  function* (tx) {
    const seen = yield* tx.find(orders, 1)
    if (seen?.version !== 1) return yield* new Failed(new PreconditionFailed({}))
    return yield* begin(tx)
  }

/** The commands of a batch, in this order. */
export const oneAfterTheOther = (...begins: ReadonlyArray<Begin>): Begin =>
  function* (tx) {
    const results: Array<unknown> = []
    for (const begin of begins) results.push(yield* begin(tx))
    return results
  }

/** Bugs that were made in shops, each in a command of the petstore. */
export const seededBugs = (programs: ReadonlyArray<Program>): ReadonlyArray<SeededBug> => {
  const named = (name: string): Program => {
    const program = programs.find((one) => one.name === name)
    if (program === undefined) throw new Error(`There is no command ${JSON.stringify(name)}`)
    return program
  }
  const place = named("place an order of pet 1")
  const create = named("create a pet in category 2")
  const removal = named("delete category 2")
  const [move, moveBack] = [named("move order 1 to pet 2"), named("move order 2 to pet 1")]
  const [checked, unchecked] = [named("date order 1 if it is unchanged"), named(unconditional)]
  const batch = [place, named("place a complete order of pet 2")].map(({ begin }) => begin)
  const batches = (...all: ReadonlyArray<ReadonlyArray<Begin>>) =>
    all.map((begins, index) => ({ ...place, name: `batch ${index + 1}`, begin: oneAfterTheOther(...begins) }))

  return [
    {
      name: "a lock made find",
      broken: [{ ...create, begin: onlyFinding(create.begin) }, removal],
      correct: [create, removal]
    },
    {
      name: "a lock that the store does not take",
      broken: [{ ...place, readsAs: () => "find" }, place],
      correct: [place, place]
    },
    {
      name: "a lock made shared",
      broken: [
        { ...place, readsAs: () => "lockShared" },
        { ...place, readsAs: () => "lockShared" }
      ],
      correct: [place, place]
    },
    {
      name: "locks in descending order",
      broken: [{ ...move, begin: lockingLastPetFirst(move.begin) }, moveBack],
      correct: [move, moveBack]
    },
    {
      name: "a check before the lock",
      broken: [{ ...checked, begin: checkingBeforeItLocks(unchecked.begin) }, move],
      correct: [checked, move]
    },
    { name: "a skipped version check", broken: [unchecked, move], correct: [checked, move] },
    {
      name: "batches in the order of their inputs",
      broken: batches(batch, batch.toReversed()),
      correct: batches(batch, batch.toReversed())
    },
    {
      name: "a row saved that was only found",
      broken: [{ ...place, begin: onlyFinding(place.begin) }, place],
      correct: [place, place]
    }
  ]
}
