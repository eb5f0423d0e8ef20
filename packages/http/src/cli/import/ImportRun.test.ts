import { assert, describe, it } from "@effect/vitest"
import type { Petstore as PetstoreMethods } from "@petstore/core"
import { memory, Petstore, runtimeOf, Storage } from "@petstore/core/effect"
import type { Commands, Engine } from "@petstore/core/services"
import { imports } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { explore } from "../../../../../laboratory/explore/explore.ts"
import type { ImportRun } from "./ImportRun.ts"
import { startRun } from "./ImportRun.ts"
import { parseReading, settingsOf } from "./ImportSettings.ts"
import type { Counts } from "./importPets.ts"

const test = (name: string, body: Effect.Effect<void, unknown, Commands | Petstore | Storage>) =>
  it.effect(name, () => Effect.provide(body, Petstore.layer(memory())))

const settings = {
  format: "csv",
  columns: { name: "animal", category: "category", status: "status", quantity: "quantity" }
} as const
const file = { digest: "a".repeat(64), settings }
const begin = (again = false) => startRun(file, again)

/** Stores one pet, and rejects the row behind it. */
const storePet = ({ store }: ImportRun, { line }: Counts) => {
  const rejections = [{ line: line + 2, reason: `wrong at ${line + 2}` }]
  return store({ pets: [{ name: `Pet ${line}`, category: "Cat" }], rejections, line: line + 2 })
}

const petNames = Effect.flatMap(Petstore, (petstore) =>
  Effect.map(Stream.runCollect(petstore.pets.all({ limit: 100 })), (pets) => pets.map(({ name }) => name))
)

const batches = Effect.flatMap(Storage, ({ scan }) => scan(imports, [], 100))

const nothing = { imported: 0, rejected: 0, categories: 0, line: 0 }

describe("a run of an import", () => {
  test(
    "given a file that was never imported, then nothing of it is done",
    Effect.gen(function* () {
      const run = yield* begin()
      assert.deepStrictEqual(run.done, nothing)
      assert.isUndefined(yield* run.reasonOf(2))
    })
  )

  test(
    "given a run that stopped, then the next one resumes behind its last batch, and has the reasons of all",
    Effect.gen(function* () {
      const first = yield* begin()
      let counts: Counts = nothing
      for (let at = 0; at < 25; at++) counts = yield* storePet(first, counts)
      const second = yield* begin()
      assert.deepStrictEqual(second.done, { imported: 25, rejected: 25, categories: 1, line: 50 })
      const reasons = yield* Effect.forEach([1, 2, 3, 4, 30, 50, 51], second.reasonOf)
      const wrong = (line: number) => `wrong at ${line}`
      assert.deepStrictEqual(reasons, [undefined, wrong(2), undefined, wrong(4), wrong(30), wrong(50), undefined])
      yield* storePet(second, second.done)
      assert.deepStrictEqual((yield* begin()).done.imported, 26)
    })
  )

  test(
    "given a run that is finished, then another one is rejected and appends nothing",
    Effect.gen(function* () {
      const run = yield* begin()
      yield* storePet(run, nothing)
      yield* run.finish
      const before = yield* batches
      const refusal = yield* Effect.flip(begin())
      assert.strictEqual(
        refusal.message,
        "This file was imported on 1970-01-01T00:00:00.000Z: 1 row imported, 1 rejected. To import every row again, add --again"
      )
      assert.deepStrictEqual(yield* batches, before)
    })
  )

  for (const finished of [true, false]) {
    test(
      `given a run that ${finished ? "is finished" : "stopped"} and --again, then a new one starts, which can be resumed`,
      Effect.gen(function* () {
        const run = yield* begin()
        yield* storePet(run, nothing)
        if (finished) yield* run.finish
        const again = yield* begin(true)
        assert.deepStrictEqual(again.done, nothing)
        assert.isUndefined(yield* again.reasonOf(2))
        const counts = yield* storePet(again, nothing)
        assert.deepStrictEqual((yield* begin()).done, counts)
        assert.deepStrictEqual(yield* petNames, ["Pet 0", "Pet 0"])
      })
    )
  }

  test(
    "given a run that stopped, when it is called with other flags, then it is rejected and says with which",
    Effect.gen(function* () {
      yield* storePet(yield* begin(), nothing)
      const columns = { ...settings.columns, name: "name" }
      const refusal = yield* Effect.flip(startRun({ ...file, settings: { ...settings, columns } }, false))
      assert.strictEqual(
        refusal.message,
        'An import of this file with --format csv --column "name=animal" stopped at line 2. Use the same flags to resume it, or add --again to import every row again'
      )
    })
  )

  test(
    "given every flag, then each other value is rejected, and the refusal names all",
    Effect.gen(function* () {
      const flags = { delimiter: "\\t", statuses: ["b=sold", "a=sold"], defaultName: "Nobody" }
      const other = settingsOf("csv", parseReading(flags))
      yield* storePet(yield* startRun({ ...file, settings: other }, false), nothing)
      const sameFlags = { ...flags, statuses: flags.statuses.toReversed() }
      yield* startRun({ ...file, settings: settingsOf("csv", parseReading(sameFlags)) }, false)
      for (const [flag, value] of Object.entries({ delimiter: ";", statuses: ["a=sold"], defaultName: "Somebody" })) {
        const changed = settingsOf("csv", parseReading({ ...flags, [flag]: value }))
        assert.include(
          String(yield* Effect.flip(startRun({ ...file, settings: changed }, false))),
          'with --format csv --delimiter tab --map-status "a=sold" --map-status "b=sold" --default-name "Nobody" stopped'
        )
      }
    })
  )

  test(
    "given two runs at the same time, then the second goes on, and the first stores nothing more",
    Effect.gen(function* () {
      const first = yield* begin()
      const counts = yield* storePet(first, nothing)
      const second = yield* begin()
      const refusal = yield* Effect.flip(storePet(first, counts))
      assert.match(String(refusal), /Another process has started to import the same file/)
      assert.deepStrictEqual(yield* petNames, ["Pet 0"])
      assert.match(String(yield* Effect.flip(first.finish)), /Another process/)
      yield* storePet(second, second.done)
      yield* second.finish
      assert.deepStrictEqual(yield* petNames, ["Pet 0", "Pet 2"])
      assert.match(String(yield* Effect.flip(first.finish)), /Another process/)
    })
  )

  test(
    "given another file, then neither knows of the other",
    Effect.gen(function* () {
      const one = yield* begin()
      const other = yield* startRun({ ...file, digest: "b".repeat(64) }, false)
      const counts = yield* storePet(one, nothing)
      yield* storePet(other, nothing)
      assert.deepStrictEqual((yield* begin()).done, counts)
    })
  )
})

describe("a run of an import beside other commands", () => {
  const inEngine =
    (effect: Effect.Effect<unknown, unknown, Engine>) =>
    (petstore: PetstoreMethods): Promise<unknown> =>
      runtimeOf(petstore).runPromise(effect)

  it("when any two run at once, then they end as if they ran one after the other, but for what a batch is repeated for", async () => {
    let run: ImportRun | undefined
    const running = (use: (run: ImportRun) => Effect.Effect<unknown, unknown>) =>
      inEngine(Effect.suspend(() => (run === undefined ? Effect.die("Nothing was begun") : use(run))))
    const { combinations, findings, interleavings } = await explore({
      given: async (petstore) => {
        await petstore.categories.create({ name: "Dog" })
        await inEngine(Effect.map(begin(), (begun) => (run = begun)))(petstore)
      },
      commands: {
        "resume the import": inEngine(begin()),
        "begin it again": inEngine(begin(true)),
        "import another file": inEngine(startRun({ digest: "b".repeat(64), settings }, false)),
        "store a pet of a new category": running((begun) => storePet(begun, nothing)),
        "store a pet that is counted": running(({ store }) =>
          store({ pets: [{ name: "Rex", category: "Dog", quantity: 2 }], rejections: [], line: 2 })
        ),
        "finish the import": running(({ finish }) => finish),
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
