// Waits for a line of input, then opens a store on a file and adds an account to it.

import { once } from "node:events"
import * as Effect from "effect/Effect"
import { openSqlite } from "../support/openSqlite.ts"

process.stdout.write("ready\n")
await once(process.stdin, "data")
const name = `process ${process.pid}`
const account = { name, nameKey: name, createdAt: "2026-01-01T00:00:00.000Z" }
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* openSqlite(process.argv[2] ?? "")
      yield* store.transact(store.accounts.insert(account))
    })
  )
)
process.exit(0)
