import { createPetstore, type Petstore } from "@petstore/core"
import { checkInvariants, embeddedContract, engineContract, registerContract, withLockChecks } from "@petstore/testing"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { lmdb } from "./lmdb.ts"
import { temporaryFile } from "./test/temporaryFile.ts"

const files = new WeakMap<Petstore, string>()

// The lock checks pass every statement on to the store, so nothing of a run without them is lost.
const open = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await createPetstore({ storage: withLockChecks(lmdb(file)) })
      files.set(petstore, file)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

const openFresh = Effect.flatMap(temporaryFile, open)

const cases = [
  ...engineContract({ open: openFresh, afterEach: checkInvariants }),
  ...embeddedContract({
    open: openFresh,
    openAnother: (petstore) => open(files.get(petstore) ?? "unknown"),
    backups: { file: temporaryFile, open }
  })
]

describe("a petstore on LMDB", () => {
  registerContract(cases, { describe, it })

  it("skips no case", () => {
    assert.deepStrictEqual(
      cases.filter(({ skip }) => skip !== undefined),
      []
    )
  })
})
