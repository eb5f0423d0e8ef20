import { describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { embeddedContract, engineContract, registerContract, verifies } from "@petstore/core/testing"
import { Effect } from "effect"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

const open = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: sqlite(file) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

const openFresh = Effect.flatMap(temporaryFile, open)

describe("petstore on SQLite", () => {
  registerContract(engineContract({ open: openFresh, afterEach: verifies }), { describe, it })
  registerContract(embeddedContract({ open: openFresh, backups: { file: temporaryFile, open } }), { describe, it })
})
