import { describe, it } from "@effect/vitest"
import { embeddedContract, engineContract, registerContract, verifies } from "@petstore/core/testing"
import { Effect } from "effect"
import { createPetstore } from "./createPetstore.ts"

const open = Effect.acquireRelease(
  Effect.promise(() => createPetstore()),
  (petstore) => Effect.promise(() => petstore.close())
)

describe("petstore in memory", () => {
  registerContract(engineContract({ open, afterEach: verifies }), { describe, it })
  registerContract(embeddedContract({ open }), { describe, it })
})
