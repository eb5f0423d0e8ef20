import type { Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { assertTrue } from "../check.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"

/** Waits until a condition is true: also for what happens after a while, or in another petstore. */
export type Wait = (isSo: () => boolean | Promise<boolean>) => Promise<void>

/** Throws after 20 seconds. `advance` moves a clock that stands still, by a few milliseconds. */
const waiting =
  (advance: (millis: number) => Promise<void>): Wait =>
  async (isSo) => {
    const deadline = Date.now() + 20_000
    while (!(await isSo())) {
      assertTrue(Date.now() < deadline, "the awaited condition becomes true")
      await new Promise((resolve) => setTimeout(resolve, 5))
      await advance(50)
    }
  }

/** How cases on a petstore wait. */
export const waitFor = (
  { advance = () => Effect.void }: EmbeddedFixture,
  ...petstores: ReadonlyArray<Petstore>
): Effect.Effect<Wait> =>
  Effect.succeed(
    waiting((millis) =>
      Effect.runPromise(Effect.ignore(Effect.forEach(petstores, (petstore) => advance(petstore, millis))))
    )
  )
