/** The store as a whole. */

import type { Rule } from "../Rule.ts"
import { isStoredTime } from "../storedTime.ts"

/** An endpoint that is failing from a time ahead on would not be disabled before that. */
const isTime = (name: string, time: string | undefined, latest: string): boolean =>
  time === undefined || (isStoredTime(time) && (name !== "failingSince" || time <= latest))

const isId = (id: number | string): boolean => (typeof id === "string" ? id !== "" : Number.isSafeInteger(id) && id > 0)

export const storeRules: readonly [storeIntact: Rule, secretsReadable: Rule, ...ofRows: ReadonlyArray<Rule>] = [
  {
    name: "store_intact",
    demands:
      "The store itself is intact: no damaged page, no broken reference, no index that differs from its rows, no table, index or trigger that is missing or altered, no event id used twice, no event missing that was recorded beside the file; accounts and API keys match the log of their changes.",
    check: { damage: (problem) => problem === undefined || { problem } }
  },
  {
    name: "secrets_readable",
    demands:
      "What is encrypted of a webhook can be decrypted with the keys of the petstore that verifies. Not checked without a key.",
    check: { decrypted: ({ problem, webhookId }) => problem === undefined || { webhookId, problem } }
  },
  {
    name: "ids_unique",
    demands: "An id is used for one row only, deleted rows included, and one event creates it.",
    check: {
      row: ({ before, id, table }) => (isId(id) && (before === undefined || id > before)) || { table, id },
      change: ({ before, does, event: { seq, subject } }) =>
        does.what === "creates" ? before === undefined || { seq, subject } : undefined
    }
  },
  {
    name: "times_valid",
    demands:
      "The times of events, movements, idempotency keys, imports, consumers, parked events, accounts, API keys, webhooks and deliveries are dates that exist, in UTC with milliseconds. No endpoint is failing since a time ahead.",
    check: {
      times: ({ row, times }, latest) => {
        let isRight = true
        for (const name in times) isRight &&= isTime(name, times[name], latest)
        const wrong = () => Object.entries(times).filter(([name, time]) => !isTime(name, time, latest))
        return isRight || { ...row, ...Object.fromEntries(wrong()) }
      }
    }
  }
]
