// Opens a store on a file as a user who owns nothing, writes to it, and writes the outcome.

import * as Effect from "effect/Effect"
import { openSqlite } from "../support/openSqlite.ts"

const userWithoutFiles = 65534
process.setgroups?.([])
process.setgid?.(userWithoutFiles)
process.setuid?.(userWithoutFiles)

const account = { name: "Shop", nameKey: "shop", createdAt: "2026-01-01T00:00:00.000Z" }
const outcome = await Effect.runPromise(
  Effect.flatMap(openSqlite(process.argv[2] ?? ""), (store) => store.transact(store.accounts.insert(account))).pipe(
    Effect.scoped,
    Effect.match({ onFailure: ({ _tag, message }) => `${_tag}: ${message}`, onSuccess: () => "written" })
  )
)
process.stdout.write(`${outcome}\n`, () => process.exit(0))
