import { describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import { checkInvariants, embeddedContract, engineContract, registerContract, withLockChecks } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { testDatabase } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

const urls = new WeakMap<Petstore, string>()

// The lock checks pass every statement on to the store, so nothing of a run without them is lost.
const open = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await createPetstore({ storage: withLockChecks(postgres(url)) })
      urls.set(petstore, url)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

const openFresh = Effect.flatMap(testDatabase, open)

const openAnother = (petstore: Petstore) => open(urls.get(petstore) ?? "unknown")

describe("petstore on PostgreSQL", () => {
  registerContract(engineContract({ open: openFresh, afterEach: checkInvariants }), { describe, it })
  registerContract(embeddedContract({ open: openFresh, openAnother }), { describe, it })
})
