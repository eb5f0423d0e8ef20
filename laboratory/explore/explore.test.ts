import { refusal } from "@petstore/core"
import { createOpenOrder, createStockedPet } from "@petstore/testing"
import { assert, describe, it } from "vitest"
import { commandSets } from "./commandSets.ts"
import { petstoreCommands } from "./commands.ts"
import { explore, exploreGroups, prepare } from "./explore.ts"
import { exploreTogether, interleavings } from "./Interleaving.ts"
import type { Program } from "./RunningCommand.ts"
import { sweeps } from "./reservations.ts"
import { commandsWithBugs, oneAfterTheOther, replaced, seededBugs } from "./seededBugs.ts"

describe("given all commands of the petstore", () => {
  for (const { commands, each, which } of commandSets) {
    it(`when any two run at once, ${which}, then they end as if they ran one after the other`, async () => {
      const { combinations, findings, interleavings } = await explore(commands)
      const count = Object.keys(commands.commands).length
      assert.strictEqual(combinations, (count * (count + 1)) / 2)
      assert.isAbove(interleavings, each * combinations)
      assert.deepStrictEqual(findings, [])
    })
  }

  it("when several orders expire in one transaction, then nobody waits for ever, and no rule is broken", async () => {
    const { findings } = await explore(sweeps)
    assert.isNotEmpty(findings)
    for (const { commands, problem } of findings) {
      assert.match(commands.join(), /expire (?:all|two) orders/)
      assert.match(problem, /^No serial order ends so: [^.]*$/)
    }
  })

  it("when interleavings that only swap steps which commute are left out, then those that are left have all outcomes", async () => {
    const { initial, programs } = await prepare(petstoreCommands)
    const some = programs.filter((_, place) => place % 4 === 0)
    let [left, all] = [0, 0]
    for (const [index, one] of some.entries()) {
      for (const other of some.slice(index)) {
        const outcomesOf = (runs: Iterable<{ outcome(): string }>) => [...runs].map((run) => run.outcome())
        const reduced = outcomesOf(interleavings(initial, [one, other]))
        const every = outcomesOf(interleavings(initial, [one, other], () => false))
        assert.sameMembers([...new Set(reduced)], [...new Set(every)], `${one.name}, ${other.name}`)
        left += reduced.length
        all += every.length
      }
    }
    assert.isBelow(left, all / 3)
  })
})

describe("given a bug that was put into a command", () => {
  const traces: Readonly<Record<string, readonly [problem: string, trace: string]>> = {
    "a lock made find": [
      "No serial order ends so: A succeeds, B succeeds",
      "A reads categories 2; A adds pets; B locks categories 2; B looks for petsInCategory 2; A commits; B takes a shared lock on records categories/2; B commits"
    ],
    "a lock that the store does not take": [
      "No serial order ends so: A succeeds, B succeeds",
      "A reads pets 1; A adds orders; B locks pets 1; B adds orders; B commits; A writes pets 1; A commits"
    ],
    "a lock made shared": [
      "Deadlock: A waits for pets 1 of B, B waits for pets 1 of A",
      "A takes a shared lock on pets 1; A adds orders; B takes a shared lock on pets 1; B adds orders"
    ],
    "locks in descending order": [
      "Deadlock: A waits for pets 1 of B, B waits for pets 2 of A",
      "A locks orders 1; A locks pets 2; B locks orders 2; B locks pets 1"
    ],
    "a check before the lock": [
      "No serial order ends so: A succeeds, B succeeds",
      "A reads orders 1; B locks orders 1; B locks pets 1; B locks pets 2; B commits; A locks orders 1; A locks pets 2; A commits"
    ],
    "a skipped version check": [
      "No serial order ends so: A succeeds, B succeeds",
      "B locks orders 1; B locks pets 1; B locks pets 2; B commits; A locks orders 1; A locks pets 2; A commits"
    ],
    "batches in the order of their inputs": [
      "Deadlock: A waits for pets 2 of B, B waits for pets 1 of A",
      "A locks pets 1; A adds orders; B locks pets 2; B adds orders"
    ],
    "a row saved that was only found": [
      "No serial order ends so: A dies: A command writes row 1 of pets, which it has not locked, B succeeds",
      "A reads pets 1; A adds orders; A dies: A command writes row 1 of pets, which it has not locked; B locks pets 1; B adds orders; B commits"
    ]
  }

  it("when the commands run in every interleaving, then the shortest one that shows the bug is found", async () => {
    const { initial, programs } = await prepare(commandsWithBugs)
    const found = seededBugs(programs).map(({ broken, correct, name }) => {
      const { finding } = exploreTogether(initial, broken, correct)
      return [name, [finding?.problem, finding?.run.trace.join("; ")]]
    })
    assert.deepStrictEqual(Object.fromEntries(found), traces)
  })
})

/** The outcomes of programs in every interleaving, in words. */
const endsOf = async (
  { initial, programs }: Awaited<ReturnType<typeof prepare>>,
  change: (program: Program) => Program = (program) => program
) =>
  [...new Set([...interleavings(initial, programs.map(change))].map(({ deadlock, ends }) => deadlock ?? ends))].sort()

describe("given two commands that write the same unique name", () => {
  it("when neither sees the name of the other, then the second waits for the first, and fails as a store does", async () => {
    const prepared = await prepare({
      commands: {
        first: ({ categories }) => categories.create({ name: "Birds" }),
        second: ({ categories }) => categories.create({ name: "birds" })
      }
    })
    assert.deepStrictEqual(await endsOf(prepared), [
      "A fails with category_name_taken, B succeeds",
      "A succeeds, B fails with category_name_taken"
    ])
  })

  it("when one fails after it has taken the name, then the other waits for it and gets it", async () => {
    const prepared = await prepare({
      given: ({ categories }) => categories.create({ name: "Fish" }),
      commands: {
        first: ({ categories }) => categories.update(1, { name: "Birds" }),
        second: ({ categories }) => categories.create({ name: "Birds" })
      }
    })
    const giveUp = (program: Program): Program =>
      program.name === "first"
        ? program
        : {
            ...program,
            *begin(tx) {
              yield* program.begin(tx)
              throw new Error("Out of luck")
            }
          }
    assert.deepStrictEqual(await endsOf(prepared, giveUp), [
      "A succeeds, B dies: Out of luck",
      "A succeeds, B fails with category_name_taken"
    ])
  })

  it("when one fails as it writes, then what it would have added changes nothing of a third", async () => {
    const { findings } = await explore({
      given: async (petstore) => {
        for (const name of ["Rex", "Tom"]) await createStockedPet(petstore, { name })
      },
      commands: {
        order: ({ orders }) => orders.place({ petId: 1 }),
        first: ({ records }) => records.update("pets", 1, { externalId: "A-1" }),
        second: ({ records }) => records.update("pets", 2, { externalId: "A-1" })
      },
      atOnce: 3
    })
    assert.deepStrictEqual(findings, [])
  })

  it("when two batches take two names in different orders, then they wait for each other", async () => {
    const { initial, programs } = await prepare({
      commands: {
        birds: ({ categories }) => categories.create({ name: "Birds" }),
        fish: ({ categories }) => categories.create({ name: "Fish" })
      }
    })
    const batch = (all: ReadonlyArray<Program>): Program => ({
      name: "batch",
      command: undefined,
      begin: oneAfterTheOther(...all.map(({ begin }) => begin))
    })
    const { finding } = exploreTogether(initial, [batch(programs), batch(programs.toReversed())])
    assert.strictEqual(
      finding?.problem,
      'Deadlock: A waits for categories named "fish" of B, B waits for categories named "birds" of A'
    )
    assert.deepStrictEqual(finding?.run.trace, [
      'A looks for categoriesByName "birds"',
      'A adds categories "birds"',
      'A looks for categoriesByName "fish"',
      'B looks for categoriesByName "fish"',
      'B adds categories "fish"',
      'B looks for categoriesByName "birds"'
    ])
  })
})

describe("given a command that dies when it runs alone", () => {
  it("when commands are explored, then that is a finding, although each order ends so", async () => {
    const { initial, programs } = await prepare({
      commands: { first: ({ categories }) => categories.create({ name: "Birds" }) }
    })
    const dying = programs.map(
      (program): Program => ({
        ...program,
        *begin(tx) {
          yield* program.begin(tx)
          throw new Error("Out of luck")
        }
      })
    )
    const { findings } = await exploreGroups(initial, dying, 2)
    assert.deepStrictEqual(
      findings.map(({ problem, trace }) => [problem, trace.at(-1)]),
      [["A dies: Out of luck", "A dies: Out of luck"]]
    )
  })
})

describe("given a command that writes a row which refers to a missing one", () => {
  it("when it commits, then it dies, as on a store with foreign keys", async () => {
    const prepared = await prepare({
      given: (petstore) => createStockedPet(petstore),
      commands: { first: ({ orders }) => orders.place({ petId: 1 }) }
    })
    const ofMissingPet = (program: Program): Program => ({
      ...program,
      begin: (tx) =>
        program.begin(
          replaced(tx, {
            insert: (table, rowOf) =>
              tx.insert(table, (id) => {
                const row = rowOf(id)
                return { ...row, order: { ...Object(row).order, petId: 9 } }
              })
          })
        )
    })
    assert.deepStrictEqual(await endsOf(prepared, ofMissingPet), [
      "A dies: A row of orders refers to pets 9, which is not there"
    ])
  })
})

describe("given the commands of a host", () => {
  const given = (petstore: Parameters<typeof createStockedPet>[0]) => createStockedPet(petstore)

  it("when a rule decides by what it remembers, then an interleaving shows that it does", async () => {
    class SoldOut extends refusal("sold_out", () => "Come back tomorrow.") {}
    let calls = 0
    const { findings } = await explore({
      given: (petstore) => createStockedPet(petstore, { onHand: 5 }),
      rules: { order: () => (++calls % 3 === 0 ? new SoldOut({}) : undefined) },
      commands: { "order a pet": ({ orders }) => orders.place({ petId: 1 }) }
    })
    assert.deepStrictEqual(
      findings.map(({ commands }) => commands),
      [["A: order a pet", "B: order a pet"]]
    )
    assert.include(findings[0]?.problem, "No serial order ends so")
  })

  it("when a command makes no call that changes something, or is rejected, then explore rejects and names it", async () => {
    const messageOf = async (command: Parameters<typeof explore>[0]["commands"][string]) =>
      explore({ given, commands: { mine: command } }).then(
        () => "explored",
        (error: unknown) => Object(error).message
      )
    const expected = (count: string) =>
      `The command "mine" of explore must make one call that changes something, not ${count}`
    assert.strictEqual(await messageOf(({ pets }) => pets.get(1)), expected("none"))
    assert.strictEqual(
      await messageOf(({ orders }) => Promise.all([1, 1].map((petId) => orders.place({ petId })))),
      expected("several")
    )
    assert.include(await messageOf(({ pets }) => pets.get(2)), "2")
  })

  it("when three run at once, then all groups of three are explored", async () => {
    const { combinations, findings } = await explore({
      given: (petstore) => createOpenOrder(petstore),
      commands: {
        complete: ({ orders }) => orders.complete(1),
        cancel: ({ orders }) => orders.cancel(1)
      },
      atOnce: 3
    })
    assert.deepStrictEqual([combinations, findings], [4, []])
  })
})
