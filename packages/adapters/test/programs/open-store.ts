// Waits for a line of input, then opens a store on a file and adds an account to it.

import { once } from "node:events"
import { accounts } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { openSqlite } from "../support/openSqlite.ts"
import { addRow, anAccountRecord } from "../support/rows.ts"

process.stdout.write("ready\n")
await once(process.stdin, "data")
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      // Others may hold the lock for as long as they wait for a core.
      const store = yield* openSqlite({ file: process.argv[2] ?? "", lockTimeout: "1 minute" })
      yield* store.run((tx) => addRow(tx, accounts, anAccountRecord(`process ${process.pid}`)))
    })
  )
)
process.exit(0)
