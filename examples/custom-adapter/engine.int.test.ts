import { createPetstore, type Petstore } from "@petstore/core"
import { embeddedContract, engineContract, registerContract, verifies } from "@petstore/core/testing"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { lmdb } from "./lmdb.ts"
import { temporaryFile } from "./test/temporaryFile.ts"

const files = new WeakMap<Petstore, string>()

const open = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const petstore = await createPetstore({ storage: lmdb(file) })
      files.set(petstore, file)
      return petstore
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

const openFresh = Effect.flatMap(temporaryFile, open)

const cases = [
  ...engineContract({ open: openFresh, afterEach: verifies }),
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
