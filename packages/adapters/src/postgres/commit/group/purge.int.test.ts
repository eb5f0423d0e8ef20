import { assert, describe, it } from "@effect/vitest"
import { idempotencyKeys } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../../core/test/support/expectLogs.ts"
import { openPostgres } from "../../../../test/support/postgres/openPostgres.ts"
import { query, testDatabase } from "../../../../test/support/postgres.ts"
import { purgeText } from "../../../sql/tableText.ts"
import { translated } from "../../statements/dialect.ts"

expectLogs(clearText)

/** With these, a planner joins by loops alone, as it may for a table whose statistics are old. */
const loopsAlone = ["hashjoin", "mergejoin", "hashagg", "sort", "material", "memoize"]
  .map((way) => `-c enable_${way}=off`)
  .join(" ")

describe("given a planner that joins rows by loops", () => {
  it.live("when old rows are purged, then no more of them go than the limit says", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres({ url })
      yield* Effect.promise(async () => {
        for (let n = 0; n < 8; n++) await petstore.categories.create({ name: `Cats ${n}` }, { idempotencyKey: `k${n}` })
        const purge = translated("petstore", purgeText(idempotencyKeys)).replace("$1", "'9999'").replace("$2", "3")
        const rows = await query(`${url}?options=${encodeURIComponent(loopsAlone)}`, `${purge} RETURNING key`)
        assert.lengthOf(rows, 3)
      })
    })
  )
})
