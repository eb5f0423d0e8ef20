import type { Petstore, PetstoreOptions } from "@petstore/core"
import * as Effect from "effect/Effect"
import type { ContractCase } from "../ContractCase.ts"
import { checkInvariants } from "./checkInvariants.ts"
import type { EmbeddedFixture } from "./PetstoreFixture.ts"
import { type Wait, waitFor } from "./waiting.ts"

type Options = Omit<PetstoreOptions, "storage">

/** What a case has beside its petstore. */
export interface Beside {
  /** Another petstore on its database; the same one if the fixture opens no other, or the case wants none. */
  readonly another: Petstore
  readonly wait: Wait
}

export type EmbeddedBody = (petstore: Petstore, beside: Beside) => Promise<void>

/** A case, and how its petstores are opened. */
export interface EmbeddedCase {
  readonly body: EmbeddedBody
  /** Those of the petstore. */
  readonly options?: Options | undefined
  /** Those of the other one, if the case wants one. */
  readonly ofAnother?: Options | undefined
  /** Whether it is skipped if a database has only one petstore. */
  readonly needsAnother?: boolean
  /** Whether the invariants hold in the end. False for cases that close the petstore. */
  readonly isChecked?: boolean
}

/** A group of cases on petstores of an embedded fixture, by their names. */
export const embeddedGroup =
  (group: string, cases: Readonly<Record<string, EmbeddedCase>>) =>
  (fixture: EmbeddedFixture): ReadonlyArray<ContractCase> =>
    Object.entries(cases).map(([name, one]) => ({ group, name, ...runOf(fixture, one) }))

const skip = (reason: string) => ({ run: Effect.void, skip: reason })

const runOf = (fixture: EmbeddedFixture, one: EmbeddedCase): Pick<ContractCase, "run" | "skip"> => {
  const { body, isChecked = true, needsAnother = false, ofAnother, options } = one
  const { open, openAnother, openWith } = fixture
  if (options !== undefined && openWith === undefined) return skip("the fixture opens no petstore with options")
  if (needsAnother && openAnother === undefined) return skip("the fixture opens one petstore on a database")
  const run = Effect.gen(function* () {
    const petstore = yield* options === undefined ? open : (openWith?.(options) ?? open)
    const wantsAnother = needsAnother || ofAnother !== undefined
    const another =
      (wantsAnother ? yield* openAnother?.(petstore, ofAnother) ?? Effect.undefined : undefined) ?? petstore
    const wait = yield* waitFor(fixture, petstore, another)
    yield* Effect.tryPromise({ try: () => body(petstore, { another, wait }), catch: (error) => error })
    if (isChecked) yield* checkInvariants(petstore)
  })
  return { run: Effect.scoped(run) }
}

/** The same settings for all cases of a group. */
export const allWith = (
  settings: Omit<EmbeddedCase, "body">,
  bodies: Readonly<Record<string, EmbeddedBody>>
): Readonly<Record<string, EmbeddedCase>> =>
  Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, { ...settings, body }]))
