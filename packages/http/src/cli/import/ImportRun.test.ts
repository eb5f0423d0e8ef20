import { assert, describe, it } from "@effect/vitest"
import type { Petstore as PetstoreMethods } from "@petstore/core"
import { memory, Petstore, runtimeOf, type Storage } from "@petstore/core/effect"
import type { Commands, Runtime } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { explore } from "../../../../../laboratory/explore/explore.ts"
import type { ImportRun } from "./ImportRun.ts"
import { startRun } from "./ImportRun.ts"
import { parseReading, type ReadingFlags, settingsOf } from "./ImportSettings.ts"

const test = (name: string, body: Effect.Effect<void, unknown, Commands | Petstore | Storage>) =>
  it.effect(name, () => Effect.provide(body, Petstore.layer(memory())))

const settings = {
  format: "csv",
  columns: { name: "animal", category: "category", status: "status", quantity: "quantity" }
} as const
const file = { digest: "a".repeat(64), settings }
const begin = (again = false) => startRun(file, again)

/** Stores the batch that begins on a line: one pet, and a rejected row. */
const storePet = ({ store }: ImportRun, first: number) =>
  store({ pets: [{ name: `Pet ${first}`, category: "Cat" }], rejected: 1, first })

const petNames = Effect.flatMap(Petstore, (petstore) =>
  Effect.map(Stream.runCollect(petstore.pets.all({ limit: 100 })), (pets) => pets.map(({ name }) => name))
)

const totals = { imported: 1, rejected: 1, categories: 1 }

const isSound = Effect.flatMap(Petstore, ({ verify }) =>
  Effect.map(verify, ({ ok }) => assert.isTrue(ok, "verify finds nothing"))
)

describe("a run of an import", () => {
  test(
    "given a run that stopped, then the next one stores only the batches that are missing, and counts all",
    Effect.gen(function* () {
      const first = yield* begin()
      assert.deepStrictEqual(yield* storePet(first, 2), { ...totals, isKnown: false })
      assert.deepStrictEqual(yield* storePet(first, 4), { ...totals, categories: 0, isKnown: false })
      const second = yield* begin()
      assert.deepStrictEqual(yield* storePet(second, 2), { ...totals, isKnown: true })
      assert.deepStrictEqual(yield* storePet(second, 4), { ...totals, categories: 0, isKnown: true })
      assert.isFalse((yield* storePet(second, 6)).isKnown)
      assert.deepStrictEqual(yield* petNames, ["Pet 2", "Pet 4", "Pet 6"])
      yield* isSound
    })
  )

  test(
    "given a run that is finished, then another one is rejected, also after months",
    Effect.gen(function* () {
      const run = yield* begin()
      yield* storePet(run, 2)
      yield* run.finish(totals)
      for (const later of ["0 millis", "90 days"] as const) {
        yield* TestClock.adjust(later)
        assert.strictEqual(
          (yield* Effect.flip(begin())).message,
          "This file was imported on 1970-01-01T00:00:00.000Z: 1 row imported, 1 rejected. To import every row again, add --again"
        )
      }
      yield* isSound
    })
  )

  for (const finished of [true, false]) {
    test(
      `given a run that ${finished ? "is finished" : "stopped"} and --again, then a new one starts, which can be resumed`,
      Effect.gen(function* () {
        const run = yield* begin()
        yield* storePet(run, 2)
        if (finished) yield* run.finish(totals)
        const again = yield* begin(true)
        yield* storePet(again, 2)
        // The first one cannot say that the second is finished.
        yield* run.finish(totals)
        assert.isTrue((yield* storePet(yield* begin(), 2)).isKnown)
        assert.deepStrictEqual(yield* petNames, ["Pet 2", "Pet 2"])
      })
    )
  }

  test(
    "given a run that stopped, when it is called with other flags, then it is rejected and says with which",
    Effect.gen(function* () {
      yield* storePet(yield* begin(), 2)
      const columns = { ...settings.columns, name: "name" }
      const refusal = yield* Effect.flip(startRun({ ...file, settings: { ...settings, columns } }, false))
      assert.strictEqual(
        refusal.message,
        'An import of this file with --format csv --column "name=animal" is not finished. Use the same flags to resume it, or add --again to import every row again'
      )
    })
  )

  test(
    "given a run that stopped so long ago that results of its batches may be gone, then it is rejected",
    Effect.gen(function* () {
      yield* storePet(yield* begin(), 2)
      yield* TestClock.adjust("6 days")
      assert.isTrue((yield* storePet(yield* begin(), 2)).isKnown)
      yield* TestClock.adjust("1 second")
      assert.match(
        (yield* Effect.flip(begin())).message,
        /^An import of this file began on 1970-01-01T00:00:00\.000Z, too long ago to be resumed\./
      )
    })
  )

  test(
    "given every flag, then each other value is rejected, and the refusal names all",
    Effect.gen(function* () {
      const flags = { delimiter: "\\t", statuses: ["b=sold", "a=sold"], defaultName: "Nobody" }
      const begun = (changed: ReadingFlags, fromLine: number) =>
        startRun({ ...file, settings: settingsOf("csv", parseReading({ ...flags, ...changed }), fromLine) }, false)
      yield* begun({}, 7)
      yield* begun({ statuses: flags.statuses.toReversed() }, 7)
      const others = [{ delimiter: ";" }, { statuses: ["a=sold"] }, { defaultName: "Somebody" }, {}]
      for (const [index, changed] of others.entries()) {
        assert.include(
          String(yield* Effect.flip(begun(changed, index === 3 ? 1 : 7))),
          'with --format csv --delimiter tab --map-status "a=sold" --map-status "b=sold" --default-name "Nobody" --from-line 7 is'
        )
      }
    })
  )

  test(
    "given two runs at the same time, then each batch is stored by one of them, and both finish",
    Effect.gen(function* () {
      const [one, other] = [yield* begin(), yield* begin()]
      const stored = yield* Effect.all(
        [one, other].map((run) => Effect.forEach([2, 4, 6], (first) => storePet(run, first))),
        { concurrency: 2 }
      )
      assert.lengthOf(
        stored.flat().filter(({ isKnown }) => isKnown),
        3
      )
      yield* one.finish(totals)
      yield* other.finish(totals)
      assert.deepStrictEqual(yield* petNames, ["Pet 2", "Pet 4", "Pet 6"])
    })
  )

  test(
    "given another file, then neither knows of the other",
    Effect.gen(function* () {
      const one = yield* begin()
      const other = yield* startRun({ ...file, digest: "b".repeat(64) }, false)
      yield* storePet(one, 2)
      assert.isFalse((yield* storePet(other, 2)).isKnown)
    })
  )
})

describe("a run of an import beside other commands", () => {
  const inRuntime =
    (effect: Effect.Effect<unknown, unknown, Runtime>) =>
    (petstore: PetstoreMethods): Promise<unknown> =>
      runtimeOf(petstore).runPromise(effect)

  it("when any two run at once, then they end as if they ran one after the other, but for what a batch is repeated for", async () => {
    let run: ImportRun | undefined
    const running = (use: (run: ImportRun) => Effect.Effect<unknown, unknown>) =>
      inRuntime(Effect.suspend(() => (run === undefined ? Effect.die("Nothing was begun") : use(run))))
    const { combinations, findings, interleavings } = await explore({
      given: async (petstore) => {
        await petstore.categories.create({ name: "Dog" })
        await inRuntime(Effect.map(begin(), (begun) => (run = begun)))(petstore)
      },
      commands: {
        "resume the import": inRuntime(begin()),
        "begin it again": inRuntime(begin(true)),
        "import another file": inRuntime(startRun({ digest: "b".repeat(64), settings }, false)),
        "store a pet of a new category": running((begun) => storePet(begun, 2)),
        "store a pet that is counted": running(({ store }) =>
          store({ pets: [{ name: "Rex", category: "Dog", quantity: 2 }], rejected: 0, first: 9 })
        ),
        "finish the import": running(({ finish }) => finish(totals)),
        "create the same category": ({ categories }) => categories.create({ name: "cat" }),
        "delete a category": ({ categories }) => categories.delete(1)
      }
    })
    assert.strictEqual(combinations, 36)
    assert.isAbove(interleavings, 1.4 * combinations)
    assert.deepStrictEqual(
      findings.map(({ problem }) => problem),
      ["category_name_taken", "unknown_category"].map(
        (code) => `No serial order ends so: A fails with ${code}, B succeeds`
      )
    )
  })
})
