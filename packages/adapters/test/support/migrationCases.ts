import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { MigrationState } from "../../src/sql/MigrationState.ts"
import { startProgram } from "./program.ts"

type Work<A> = Effect.Effect<A, { readonly message: string; readonly cause?: unknown }, Scope.Scope>

/** How the databases of an engine are migrated, each at a place: a path or a URL. */
interface MigratedStore {
  /** The number of the step that only the next release knows: it gives pets a nickname, their name. */
  readonly nextId: number
  readonly migrationsTable: string
  /** A database of this release, with the pet Rex. */
  readonly shop: Work<string>
  readonly migrationState: (place: string) => Work<ReadonlyArray<MigrationState>>
  readonly schemaProblems: (place: string) => Work<ReadonlyArray<unknown>>
  /** Migrates as the next release, whose step ends with these statements. */
  readonly migrateToNext: (place: string, ending?: string) => Work<unknown>
  /** Opens as the next release, which may not migrate. */
  readonly requireNext: (place: string) => Work<unknown>
  /** What is due for the next release, as SQL. */
  readonly plannedForNext: (place: string) => Work<string | undefined>
  readonly run: (place: string, sql: string) => Work<unknown>
  readonly nicknames: (place: string) => Work<ReadonlyArray<unknown>>
}

/** The tests of migrations that hold for every engine. */
export const migrationCases = ({
  migrateToNext,
  migrationState,
  migrationsTable,
  nextId,
  nicknames,
  plannedForNext,
  requireNext,
  run,
  schemaProblems,
  shop
}: MigratedStore): void => {
  const test = (name: string, body: (place: string) => Effect.Effect<void, unknown, Scope.Scope>): void =>
    it.live(name, () => Effect.scoped(Effect.flatMap(shop, body)))

  /** The steps that a database records, and those that it lacks. */
  const recorded = (place: string) =>
    Effect.map(migrationState(place), (states) => states.map(({ appliedAt, id }) => [id, appliedAt !== undefined]))
  const known = Array.from({ length: nextId - 1 }, (_, step) => [step + 1, true])
  const refusal = (work: Work<unknown>) =>
    Effect.map(Effect.flip(Effect.scoped(work)), ({ cause, message }) => `${message} ${cause}`)

  test("when the next release migrates it, then that step alone is applied, once, and the rows stay", (place) =>
    Effect.gen(function* () {
      const before = yield* migrationState(place)
      assert.include(yield* refusal(requireNext(place)), `lacks 1 of ${nextId} migrations. Run "petstore migrate"`)
      yield* migrateToNext(place)
      yield* migrateToNext(place)
      yield* requireNext(place)
      assert.deepStrictEqual(yield* nicknames(place), ["Rex"])
      const after = yield* migrationState(place)
      assert.deepStrictEqual(after.slice(0, -1), before)
      assert.deepStrictEqual(
        after.slice(-1).map(({ id, name }) => [id, name]),
        [[nextId, "nicknames"]]
      )
    }))

  test("when the next release prints what is due, then it is that step, and another program can run it", (place) =>
    Effect.gen(function* () {
      const sql = (yield* plannedForNext(place)) ?? ""
      assert.include(sql, "ADD COLUMN nickname")
      assert.notMatch(sql, /CREATE TABLE \S*petstore_pets\b/)
      assert.deepStrictEqual(yield* recorded(place), known)
      yield* run(place, sql)
      assert.isUndefined(yield* plannedForNext(place))
      assert.deepStrictEqual(yield* nicknames(place), ["Rex"])
    }))

  test("when a step of the next release fails half-way, then nothing changes, and it succeeds when repeated", (place) =>
    Effect.gen(function* () {
      assert.match(yield* refusal(migrateToNext(place, "INSERT INTO nowhere VALUES (1)")), /nowhere/)
      assert.deepStrictEqual(yield* recorded(place), known)
      assert.deepStrictEqual(yield* schemaProblems(place), [])
      yield* migrateToNext(place)
      assert.deepStrictEqual(yield* nicknames(place), ["Rex"])
    }))

  test("when several processes of the next release migrate it at once, then one does, and all succeed", (place) =>
    Effect.gen(function* () {
      const programs = yield* Effect.all(Array.from({ length: 4 }, () => startProgram("migrate-to-next", place)))
      for (const { line } of programs) assert.strictEqual(yield* line, "ready")
      for (const { send } of programs) yield* send("go")
      for (const { exit } of programs) assert.strictEqual(yield* exit, 0)
      assert.deepStrictEqual(yield* recorded(place), [...known, [nextId, true]])
    }))

  test("when it records the last step but not one before it, then the next release says which is missing", (place) =>
    Effect.gen(function* () {
      yield* migrateToNext(place)
      yield* run(place, `DELETE FROM ${migrationsTable} WHERE id = 1`)
      for (const use of [migrateToNext, requireNext])
        assert.include(yield* refusal(use(place)), "Migration 1 (initial) is not recorded")
    }))

  for (const [id, name] of [
    [1, "initial"],
    [nextId, "nicknames"]
  ]) {
    test(`when it records step ${id} with another checksum, then the next release refuses it`, (place) =>
      Effect.gen(function* () {
        yield* migrateToNext(place)
        yield* run(place, `UPDATE ${migrationsTable} SET checksum = 'x' WHERE id = ${id}`)
        assert.match(
          yield* refusal(migrateToNext(place)),
          new RegExp(`igration ${id} \\(${name}\\).* was applied in another form`)
        )
      }))
  }
}
