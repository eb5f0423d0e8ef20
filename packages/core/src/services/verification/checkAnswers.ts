import { Effect } from "effect"
import type { IdempotencyRecord } from "../../ports/IdempotencyRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Check } from "./Check.ts"
import { eachPage } from "./pages.ts"
import type { Rows } from "./readRows.ts"

const idIn = (answer: string): unknown => {
  try {
    const value: unknown = JSON.parse(answer)
    return typeof value === "object" && value !== null && "id" in value ? value.id : undefined
  } catch {
    return undefined
  }
}

/** Whether the row that an answer tells of was ever made. */
const isMade = (
  { accounts, messages }: Pick<Storage["Service"], "accounts" | "messages">,
  rows: Rows,
  { answer, operation }: IdempotencyRecord
): Effect.Effect<boolean, StorageError> => {
  const id = idIn(answer)
  if (typeof id === "string") {
    return operation === "messages.enqueue"
      ? Effect.map(messages.find(id), (message) => message !== undefined)
      : Effect.succeed(false)
  }
  if (typeof id !== "number") return Effect.succeed(false)
  switch (operation) {
    case "pets.create":
      return Effect.succeed(rows.pets.has(id))
    case "categories.create":
      return Effect.succeed(rows.categories.has(id))
    case "orders.place":
      return Effect.succeed(rows.orders.has(id))
    case "accounts.create":
      return Effect.map(accounts.find(id), (account) => account !== undefined)
    default:
      return Effect.succeed(false)
  }
}

/** Checks the answers that are kept for idempotency keys. */
export const checkAnswers = Effect.fnUntraced(function* (storage: Storage["Service"], rows: Rows) {
  const made = new Check(
    "answers_kept",
    "An answer that is kept for an idempotency key is that of a creation that took place; a key of an account has one answer."
  )
  let before = { accountId: 0, key: "" }
  yield* eachPage(
    storage.idempotency.scan,
    before,
    ({ accountId, key }) => ({ accountId, key }),
    Effect.fnUntraced(function* (records) {
      for (const record of records) {
        const { accountId, key, operation } = record
        const isNext = accountId > before.accountId || (accountId === before.accountId && key > before.key)
        const holds = isNext && (yield* isMade(storage, rows, record))
        made.expect(holds, () => ({ accountId, key, operation }))
        before = { accountId, key }
      }
    })
  )
  return [made]
})
