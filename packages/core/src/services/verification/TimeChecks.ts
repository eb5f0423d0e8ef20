import { parseTimestamp } from "../../domain/Timestamp.ts"
import { Check, type Row } from "./Check.ts"

const stored = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isTime = (text: string): boolean => stored.test(text) && parseTimestamp(text) !== undefined

/** Whether times can be read, and compared as text. */
export class TimeChecks {
  readonly valid = new Check(
    "times_valid",
    "The times of events, movements, idempotency keys, imports, accounts and API keys are dates that exist, in UTC with milliseconds."
  )

  /** Counts a row by its times; those that are absent are left out. */
  add(identity: Row, times: Readonly<Record<string, string | undefined>>): void {
    const wrong = Object.entries(times).filter(([, time]) => time !== undefined && !isTime(time))
    this.valid.expect(wrong.length === 0, () => ({ ...identity, ...Object.fromEntries(wrong) }))
  }
}
