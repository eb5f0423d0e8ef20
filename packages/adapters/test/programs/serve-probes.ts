// Opens a file. For each line of input it adds a message of 16,000 characters, checks whether the store is ready, reads, and
// writes the outcome of each. It ends with the input.

import { createInterface } from "node:readline"
import { MessageRules } from "@petstore/core/domain"
import { messages } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import { openSqlite } from "../support/openSqlite.ts"
import { addRow } from "../support/rows.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , file = ""] = process.argv

const outcome = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (exit._tag === "Success") return "ok"
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" ? reason.error._tag : "died"
}

const program = Effect.gen(function* () {
  const store = yield* openSqlite(file)
  const lines = createInterface(process.stdin)[Symbol.asyncIterator]()
  writeLine("started")
  for (let n = 0; ; n++) {
    const line = yield* Effect.promise(() => lines.next())
    if (line.done === true) return
    const message = MessageRules.queued(`msg_${n}`, "x".repeat(16_000), "2026-01-01T00:00:00.000Z")
    const write = yield* Effect.exit(store.run((tx) => addRow(tx, messages, message)))
    const ready = yield* Effect.exit(store.ready)
    const read = yield* Effect.exit(store.scan(messages, [], 1))
    writeLine(`${outcome(write)} ${outcome(ready)} ${outcome(read)}`)
  }
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, Logger.layer([]))))
