import { describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import { checkInvariants, embeddedContract, engineContract, registerContract, withLockChecks } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

const files = new WeakMap<Petstore, string>()

// The lock checks pass every statement on to the store, so nothing of a run without them is lost.
const open = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await createPetstore({ storage: withLockChecks(sqlite(file)) })
      files.set(petstore, file)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

const openFresh = Effect.flatMap(temporaryFile, open)

const openAnother = (petstore: Petstore) => open(files.get(petstore) ?? "unknown")

const fixture = { open: openFresh, openAnother, backups: { file: temporaryFile, open } }

describe("petstore on SQLite", () => {
  registerContract(engineContract({ open: openFresh, afterEach: checkInvariants }), { describe, it })
  registerContract(embeddedContract(fixture), { describe, it })
})
