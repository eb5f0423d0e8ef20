import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ContractCase } from "../ContractCase.ts"
import type { StorageFaults } from "./StorageFixture.ts"
import type { TestedFaults, TestedFixture, TestedStore } from "./TestedStore.ts"

/** The cases of one group, for a fixture. */
export type StorageCases = (fixture: TestedFixture) => ReadonlyArray<ContractCase>

/** The steps of a case, as `Effect.gen` runs them, on a store with a new, empty database. */
export type Body<Given> = (
  store: TestedStore,
  given: Given
) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>

const run = <Given>({ open }: TestedFixture, body: Body<Given>, given: Given): Effect.Effect<void, unknown> =>
  Effect.scoped(Effect.flatMap(open, (store) => Effect.gen(() => body(store, given))))

/** A group of cases by their names. */
export const storageCases =
  (group: string, bodies: Readonly<Record<string, Body<TestedFixture>>>): StorageCases =>
  (fixture) =>
    Object.entries(bodies).map(([name, body]) => ({ group, name, run: run(fixture, body, fixture) }))

/** A group of cases about stores that fail in one way. */
export const faultCases =
  <Fault extends keyof StorageFaults>(
    group: string,
    fault: Fault,
    bodies: Readonly<Record<string, Body<TestedFaults[Fault]>>>
  ): StorageCases =>
  (fixture) =>
    Object.entries(bodies).map(([name, body]) =>
      fixture.faults === undefined
        ? { group, name, run: Effect.void, skip: "the fixture has no way to make the store fail" }
        : { group, name, run: run(fixture, body, fixture.faults[fault]) }
    )

/** A group of cases about what a store need not have. On a store without it, they pass. */
export const optionalCases =
  <Part extends object>(
    group: string,
    partOf: (store: TestedStore) => Part | undefined,
    bodies: Readonly<Record<string, Body<TestedFixture & Part>>>
  ): StorageCases =>
  (fixture) =>
    Object.entries(bodies).map(([name, body]) => ({
      group,
      name,
      run: Effect.scoped(
        Effect.flatMap(fixture.open, (store) => {
          const part = partOf(store)
          return part === undefined ? Effect.void : Effect.gen(() => body(store, { ...fixture, ...part }))
        })
      )
    }))
