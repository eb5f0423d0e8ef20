import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ContractCase } from "../ContractCase.ts"
import type { TestedFaults, TestedFixture, TestedStore } from "./TestedStore.ts"

/** The cases of one group, for a fixture. */
export type StorageCases = (fixture: TestedFixture) => ReadonlyArray<ContractCase>

type Body<Given> = (store: TestedStore, given: Given) => Effect.Effect<void, unknown, Scope.Scope>

const run = <Given>(fixture: TestedFixture, body: Body<Given>, given: Given): Effect.Effect<void, unknown> =>
  Effect.scoped(Effect.flatMap(fixture.open, (store) => body(store, given)))

/** A group of cases by their names. Each body receives a store on a new, empty database. */
export const storageCases =
  (group: string, bodies: Readonly<Record<string, Body<TestedFixture>>>): StorageCases =>
  (fixture) =>
    Object.entries(bodies).map(([name, body]) => ({ group, name, run: run(fixture, body, fixture) }))

/** A group of cases about failing stores. */
export const faultCases =
  (group: string, bodies: Readonly<Record<string, Body<TestedFaults>>>): StorageCases =>
  (fixture) =>
    Object.entries(bodies).map(([name, body]) =>
      fixture.faults === undefined
        ? { group, name, run: Effect.void, skip: "the fixture has no way to make the store fail" }
        : { group, name, run: run(fixture, body, fixture.faults) }
    )
