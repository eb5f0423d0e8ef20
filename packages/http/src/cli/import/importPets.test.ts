import { assert, describe, it } from "@effect/vitest"
import { memory, Petstore, type Storage } from "@petstore/core/effect"
import type { Commands } from "@petstore/core/runtime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { startRun } from "./ImportRun.ts"
import { parseReading } from "./ImportSettings.ts"
import { type Counts, type ImportPlan, importPets } from "./importPets.ts"
import type { SourceRow, Values } from "./SourceRow.ts"

async function* portions(rows: ReadonlyArray<Values>): AsyncGenerator<ReadonlyArray<SourceRow>> {
  for (let at = 0; at < rows.length; at += 7) {
    yield rows
      .slice(at, at + 7)
      .map((values, index) => ({ line: at + index + 2, bytes: Buffer.of(), isCsv: true, values }))
  }
}

interface Report {
  readonly rejected: Array<readonly [number, string]>
  readonly batches: Array<Counts>
}

const planOf = (rows: ReadonlyArray<Values>, report: Report) => {
  return {
    source: { unit: "line", titles: [], delimiter: ",", rows: portions(rows) },
    reading: parseReading({}),
    fromLine: 1,
    onRead: () => {},
    onRejected: ({ line }: SourceRow, reason: string) => report.rejected.push([line, reason]),
    onBatch: (counts: Counts) => report.batches.push(counts)
  } satisfies Omit<ImportPlan<never, never>, "store">
}

const settings = { format: "csv", columns: { name: "name", category: "category", status: "s", quantity: "q" } } as const

/** A store of batches, for a file of its own. */
const aStore = Effect.map(startRun({ digest: "0".repeat(64), settings }, true), ({ store }) => store)

const importRows = Effect.fnUntraced(function* (rows: ReadonlyArray<Values>) {
  const report: Report = { rejected: [], batches: [] }
  const counts = yield* importPets({ ...planOf(rows, report), store: yield* aStore })
  return { counts, ...report }
})

const many = (count: number): ReadonlyArray<Values> =>
  Array.from({ length: count }, (_, at) => ({ name: `Pet ${at}`, category: at % 2 === 0 ? "Cat" : "Dog" }))

/** A test on a petstore of its own. */
const test = (name: string, body: Effect.Effect<void, unknown, Commands | Petstore | Storage>) =>
  it.effect(name, () => Effect.provide(body, Petstore.layer(memory())))

describe("an import", () => {
  test(
    "given more rows than a batch holds, then all are stored in the order of the file",
    Effect.gen(function* () {
      const { batches, counts } = yield* importRows(many(1_201))
      assert.deepStrictEqual(counts, { imported: 1_201, rejected: 0, categories: 2, line: 1_202 })
      assert.deepStrictEqual(
        batches.map(({ line }) => line),
        [1_001, 1_202]
      )
      const petstore = yield* Petstore
      const pets = yield* Stream.runCollect(petstore.pets.all({ limit: 100 }))
      assert.deepStrictEqual(
        pets.map(({ name }) => name),
        many(1_201).map(({ name }) => name)
      )
    })
  )

  test(
    "given a category that exists in another spelling, then it is used",
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const { id } = yield* petstore.categories.create({ name: "CAT" })
      const { counts } = yield* importRows([
        { name: "Tom", category: "cat" },
        { name: "Tim", category: " Cat " }
      ])
      assert.strictEqual(counts.categories, 0)
      assert.lengthOf((yield* petstore.pets.list({ categoryId: id })).items, 2)
    })
  )

  test(
    "given a category that is deleted between two batches, then it is made again",
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const store = yield* aStore
      const batchOf = (name: string, first: number) => ({ pets: [{ name, category: "Cat" }], rejected: 0, first })
      yield* store(batchOf("Tom", 2))
      yield* petstore.pets.delete(1)
      yield* petstore.categories.delete(1)
      assert.strictEqual((yield* store(batchOf("Tim", 3))).categories, 1)
      assert.strictEqual((yield* petstore.pets.get(2)).categoryId, 2)
    })
  )

  test(
    "given statuses and quantities, then the stock is as the file says",
    Effect.gen(function* () {
      yield* importRows([
        { name: "A", category: "Cat" },
        { name: "B", category: "Cat", status: "sold" },
        { name: "C", category: "Cat", status: "pending", quantity: 5 },
        { name: "D", category: "Cat", quantity: 9 },
        { name: "E", category: "Cat", quantity: 0 }
      ])
      const petstore = yield* Petstore
      const { items } = yield* petstore.inventory.list()
      assert.deepStrictEqual(
        items.map(({ available, quantity, status }) => [quantity, available, status]),
        [
          [1, 1, "available"],
          [0, 0, "sold"],
          [5, 0, "pending"],
          [9, 9, "available"],
          [0, 0, "sold"]
        ]
      )
      assert.isTrue((yield* petstore.verify).ok)
    })
  )

  test(
    "given no rows, then nothing happens",
    Effect.gen(function* () {
      const { counts } = yield* importRows([])
      assert.deepStrictEqual(counts, { imported: 0, rejected: 0, categories: 0, line: 0 })
    })
  )

  test(
    "given an interruption in the middle of a batch, then that batch is finished and counted, and no other begun",
    Effect.gen(function* () {
      const report: Report = { rejected: [], batches: [] }
      const begun = yield* Deferred.make<void>()
      const proceed = yield* Deferred.make<void>()
      const storeBatch = yield* aStore
      const store: typeof storeBatch = (batch) =>
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.andThen(Deferred.await(proceed), storeBatch(batch)))
      const running = yield* Effect.forkChild(importPets({ ...planOf(many(2_200), report), store }))
      yield* Deferred.await(begun)
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(running), { startImmediately: true })
      yield* Deferred.succeed(proceed, undefined)
      yield* Fiber.join(interrupted)
      assert.deepStrictEqual(
        report.batches.map(({ imported }) => imported),
        [1_000]
      )
      const petstore = yield* Petstore
      assert.lengthOf(yield* Stream.runCollect(petstore.pets.all({ limit: 100 })), 1_000)
    })
  )

  test(
    "given a source that breaks off, then the batches before stay, none is begun, and the failure says why",
    Effect.gen(function* () {
      const report: Report = { rejected: [], batches: [] }
      const plan = planOf([], report)
      async function* broken(): AsyncGenerator<ReadonlyArray<SourceRow>> {
        yield* portions(many(1_100))
        throw new Error("the disk is gone")
      }
      const failure = yield* Effect.flip(
        importPets({
          ...plan,
          source: { unit: "line", titles: [], delimiter: ",", rows: broken() },
          store: yield* aStore
        })
      )
      assert.strictEqual(failure.message, "Reading stopped: the disk is gone")
      assert.deepStrictEqual(
        report.batches.map(({ imported }) => imported),
        [1_000]
      )
    })
  )
})
