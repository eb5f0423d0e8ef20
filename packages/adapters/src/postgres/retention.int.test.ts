import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { killTrimmers } from "../../test/support/killedTrimmers.ts"
import { testDatabase } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

describe("given servers that remove events of one database while they sell", () => {
  it.live("when they are killed at any moment, then the checkpoint and the log agree", () =>
    Effect.flatMap(testDatabase, (url) => killTrimmers("postgres", url, () => postgres(url)))
  )
})
