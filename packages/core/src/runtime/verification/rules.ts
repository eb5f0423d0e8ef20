import type { Value } from "../../kernel/Table.ts"
import { accountRules } from "./access.ts"
import { consumerRules } from "./consumers.ts"
import { ledgerRules } from "./ledgerRules.ts"
import { logRules } from "./log.ts"
import { messageRules } from "./messages.ts"
import { orderRules } from "./orders.ts"
import { petRules } from "./pets.ts"
import type { Rule } from "./Report.ts"
import { isStoredTime } from "./storedForms.ts"
import { webhookRules } from "./webhooks.ts"

/** An endpoint that is failing from a time ahead on would not be disabled before that. */
const isTime = (name: string, time: Value, latest: string): boolean =>
  time === undefined || (typeof time === "string" && isStoredTime(time) && (name !== "failingSince" || time <= latest))

const isId = (id: number | string): boolean => (typeof id === "string" ? id !== "" : Number.isSafeInteger(id) && id > 0)

/** The rules that are checked apart from the rows: by the store itself, and with the keys of the petstore. */
export const rulesApart: ReadonlyArray<Rule> = [
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
  }
]

const rulesOfAllRows: ReadonlyArray<Rule> = [
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
      "The times of events, movements, idempotency keys, consumers, parked events, accounts, API keys, webhooks and deliveries are dates that exist, in UTC with milliseconds. No endpoint is failing since a time ahead.",
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

/** Every rule about rows that verification checks, in the order of its report. */
export const rules: ReadonlyArray<Rule> = [
  ...rulesOfAllRows,
  ...petRules,
  ...orderRules,
  ...ledgerRules,
  ...logRules,
  ...webhookRules,
  ...messageRules,
  ...accountRules,
  ...consumerRules
]
