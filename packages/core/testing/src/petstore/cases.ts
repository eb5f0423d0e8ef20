import type { PetstoreApi } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import type { PetstoreFixture } from "./PetstoreFixture.ts"

/** The cases of one group, for a fixture whose petstores have the methods that they need. */
export type PetstoreCases<Needed extends PetstoreApi = PetstoreApi> = <A extends Needed>(
  fixture: PetstoreFixture<A>
) => ReadonlyArray<ContractCase>

type Body<Needed> = (petstore: Needed) => Promise<void>

const run = <A extends PetstoreApi>(
  { open, afterEach }: PetstoreFixture<A>,
  body: Body<A>
): Effect.Effect<void, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const petstore = yield* open
      yield* Effect.tryPromise({ try: () => body(petstore), catch: (error) => error })
      if (afterEach !== undefined) yield* afterEach(petstore)
    })
  )

/** A group of cases by their names. Each body receives a new, empty petstore. */
export const petstoreCases =
  <Needed extends PetstoreApi = PetstoreApi>(
    group: string,
    bodies: Readonly<Record<string, Body<Needed>>>
  ): PetstoreCases<Needed> =>
  (fixture) =>
    Object.entries(bodies).map(([name, body]) => ({ group, name, run: run(fixture, body) }))
