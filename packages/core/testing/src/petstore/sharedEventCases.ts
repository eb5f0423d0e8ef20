import type { Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import { assertEqual } from "../check.ts"
import { category, orderOf, petOf } from "./given.ts"
import { collect } from "./inspect.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { recordEvents } from "./recordEvents.ts"

const bodies: Readonly<Record<string, (petstore: Petstore, another: Petstore) => Promise<void>>> = {
  "a listener receives the events of another petstore on the database": async (petstore, another) => {
    const { received, untilHandled } = await recordEvents(petstore)
    await orderOf(another, await petOf(another, 3))
    await untilHandled(await another.events.latest())
    assertEqual(received, await collect(another.events.all()))
  },
  "listeners of two petstores that write concurrently receive the same events in the same order": async (
    petstore,
    another
  ) => {
    const listeners = [await recordEvents(petstore), await recordEvents(another)]
    await Promise.all(Array.from({ length: 60 }, (_, index) => category(index % 2 === 0 ? petstore : another)))
    for (const { untilHandled } of listeners) await untilHandled(60)
    const events = await collect(petstore.events.all())
    for (const { received } of listeners) assertEqual(received, events)
  },
  "closing one petstore keeps the listeners of another": async (petstore, another) => {
    const ending = await recordEvents(another)
    const staying = await recordEvents(petstore)
    await another.close()
    await category(petstore)
    await staying.untilHandled(1)
    assertEqual([ending.seqs(), staying.seqs()], [[], [1]])
  }
}

/** What subscriptions promise where a database has several petstores. */
export const sharedEventCases = ({ open, openAnother }: EmbeddedFixture): ReadonlyArray<ContractCase> =>
  Object.entries(bodies).map(([name, body]) => {
    const group = "events of several petstores"
    if (openAnother === undefined) {
      return { group, name, run: Effect.void, skip: "the fixture opens one petstore on a database" }
    }
    const run = Effect.gen(function* () {
      const petstore = yield* open
      const another = yield* openAnother(petstore)
      yield* Effect.tryPromise({ try: () => body(petstore, another), catch: (error) => error })
    })
    return { group, name, run: Effect.scoped(run) }
  })
