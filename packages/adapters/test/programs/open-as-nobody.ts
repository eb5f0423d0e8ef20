// Opens a store on a file as a user who owns nothing, writes to it, and writes the outcome.

import { accounts } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { openSqlite } from "../support/openSqlite.ts"
import { addRow, anAccountRecord } from "../support/rows.ts"

const userWithoutFiles = 65534
process.setgroups?.([])
process.setgid?.(userWithoutFiles)
process.setuid?.(userWithoutFiles)

const outcome = await Effect.runPromise(
  Effect.flatMap(openSqlite(process.argv[2] ?? ""), (store) =>
    store.run((tx) => addRow(tx, accounts, anAccountRecord("Shop")))
  ).pipe(
    Effect.scoped,
    Effect.match({ onFailure: ({ _tag, message }) => `${_tag}: ${message}`, onSuccess: () => "written" })
  )
)
process.stdout.write(`${outcome}\n`, () => process.exit(0))
