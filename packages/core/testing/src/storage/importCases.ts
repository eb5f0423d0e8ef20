import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { addPet, at, fileOf, givenCategory, newImportBatch } from "./rows.ts"
import type { Store } from "./StorageFixture.ts"

const last = (store: Store, file: string) => store.transact(store.imports.lock(file))

const batches = (store: Store) =>
  Effect.map(store.imports.scan({ file: "", seq: 0 }, 1000), (all) => all.map(({ file, seq }) => [file, seq] as const))

export const importCases = storageCases("storage: imports", {
  "a file has no batch before it is imported, and then the last one that was appended": (store) =>
    Effect.gen(function* () {
      assertEqual(yield* last(store, fileOf(1)), undefined)
      const first = newImportBatch()
      const second = newImportBatch({
        seq: 2,
        run: 2,
        settings: '{"format":"csv","columns":{"name":"Ä \\"🐶\\""}}',
        line: Number.MAX_SAFE_INTEGER,
        imported: 1_000_000,
        rejected: 2,
        categories: 3,
        rejections: [
          { line: 7, reason: 'name: "\n🐶' },
          { line: 9, reason: "" }
        ],
        finished: true,
        createdAt: at(9)
      })
      for (const batch of [first, second]) {
        yield* store.transact(Effect.andThen(store.imports.lock(batch.file), store.imports.append(batch)))
        assertEqual(yield* last(store, fileOf(1)), batch)
      }
      assertEqual(yield* last(store, fileOf(2)), undefined)
      assertEqual(yield* store.imports.scan({ file: "", seq: 0 }, 10), [first, second])
    }),

  "a batch is committed together with the rows that it counts": (store) =>
    Effect.gen(function* () {
      const categoryId = yield* givenCategory(store)
      const attempt = <E>(end: Effect.Effect<void, E>) =>
        Effect.exit(
          store.transact(
            Effect.gen(function* () {
              yield* store.imports.lock(fileOf(1))
              yield* addPet(store, categoryId)
              yield* store.imports.append(newImportBatch({ imported: 1 }))
              yield* end
            })
          )
        )
      yield* attempt(Effect.fail("no"))
      assertEqual([yield* last(store, fileOf(1)), yield* store.pets.scan(0, 10)], [undefined, []])
      yield* attempt(Effect.void)
      assertEqual((yield* last(store, fileOf(1)))?.imported, 1)
      assertEqual((yield* store.pets.scan(0, 10)).length, 1)
    }),

  "of many appends of a batch at once, on two stores, each finds the previous batch": (store, { openAnother }) =>
    Effect.gen(function* () {
      const another = yield* openAnother(store)
      const append = (one: Store) =>
        one.transact(
          Effect.gen(function* () {
            const seq = ((yield* one.imports.lock(fileOf(1)))?.seq ?? 0) + 1
            yield* one.imports.append(newImportBatch({ seq }))
            return seq
          })
        )
      const appended = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? store : another)),
        append,
        { concurrency: "unbounded" }
      )
      assertEqual(
        [...appended].sort((a, b) => a - b),
        Array.from({ length: 30 }, (_, index) => index + 1)
      )
      assertEqual((yield* last(store, fileOf(1)))?.seq, 30)
    }),

  "a scan returns every batch by file and number, and can continue after any pair": (store) =>
    Effect.gen(function* () {
      const pairs = [
        [fileOf(1), 9],
        [fileOf(1), 10],
        [fileOf(2), 1],
        [fileOf(10), 2]
      ] as const
      for (const [file, seq] of [...pairs].reverse()) {
        yield* store.transact(
          Effect.andThen(store.imports.lock(file), store.imports.append(newImportBatch({ file, seq })))
        )
      }
      assertEqual(yield* batches(store), pairs)
      const behind = (file: string, seq: number, limit: number) =>
        Effect.map(store.imports.scan({ file, seq }, limit), (all) => all.map((batch) => [batch.file, batch.seq]))
      assertEqual(yield* behind(fileOf(1), 9, 2), pairs.slice(1, 3))
      assertEqual(yield* behind(fileOf(1), 11, 1), pairs.slice(2, 3))
      assertEqual(yield* behind(fileOf(10), 2, 5), [])
    })
})
