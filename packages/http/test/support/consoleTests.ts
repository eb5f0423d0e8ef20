import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Preset } from "@petstore/core"
import { heading, patience } from "./consoleSteps.ts"
import { type Shop, startVisits, type Visit, type VisitOptions, visit } from "./consoleVisit.ts"

type Key = Awaited<ReturnType<Shop["keyWith"]>>

/** A visit that is signed in, with its key. */
type Session = Visit & Key & { readonly shop: Shop }

/** The shop and the browser of the tests of a file, and a test in a window of its own, which complains of nothing. */
export const consoleTests = (prepare: (shop: Shop) => Promise<void> = async () => {}) => {
  let visits: Awaited<ReturnType<typeof startVisits>>
  beforeAll(async () => {
    visits = await startVisits()
    await prepare(visits.shop)
  }, patience)
  afterAll(() => visits.close(), patience)

  /** A visit of a shop, by default the common one, with a new key. */
  const signIn = async (preset: Preset, options: VisitOptions = {}, shop = visits.shop): Promise<Session> => {
    const key = await shop.keyWith(preset)
    const visited = await visit(visits.browser, `${shop.base}/console#key=${key.key}`, options)
    await heading(visited.page, "Overview").waitFor()
    return { ...visited, ...key, shop }
  }

  /** A test of what a key with a preset sees and does. */
  const signedIn = (
    name: string,
    preset: Preset,
    body: (session: Session) => Promise<void>,
    options: VisitOptions = {}
  ): void =>
    it(
      name,
      async () => {
        const session = await signIn(preset, options)
        await body(session)
        assert.deepStrictEqual(session.complaints, [])
        await session.context.close()
      },
      patience
    )

  return { signIn, signedIn, visits: () => visits }
}
