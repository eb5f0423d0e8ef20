import { describe } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { withLockChecks } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { explainHistories } from "../../test/support/explainHistories.ts"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

const open = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: withLockChecks(sqlite(file)) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

describe("given commands that come four at a time, to two petstores on one file", () =>
  explainHistories(Effect.flatMap(temporaryFile, (file) => Effect.all([open(file), open(file)]))))
