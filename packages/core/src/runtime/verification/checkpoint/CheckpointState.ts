import type { EventData } from "../../../domain/events/Event.ts"
import type { CountedRecord } from "../../../domain/records/ResourceRecord.ts"
import { type CheckpointRecord, logSubject } from "../../../tables/checkpointTable.ts"
import type { ReplayedApiKey } from "../ApiKeyLog.ts"
import { digestOf } from "../digest.ts"
import type { Row } from "../Finding.ts"
import type { StockTrace } from "../Ledger.ts"
import type { FoldedMessage } from "../MessageLog.ts"
import type { KnownStatus } from "../PetStatuses.ts"
import type { Replayed } from "../ResourceLog.ts"

/** How many rows there are, and the digest of all of them. */
export interface CheckpointTotal {
  readonly rows: number
  readonly digest: number
}

export const noRows: CheckpointTotal = { rows: 0, digest: 0 }

/** The state of the row `log`: of all other rows, and of the log. */
export interface LogState extends CheckpointTotal {
  /** When events were removed the last time. */
  readonly at: string
  /** What creations before this time returned is no longer kept, since it is no longer returned to repeated calls. */
  readonly resultsFrom: string
}

/** What removed events leave of a row that may still change; a pet and its stock are one row. */
export interface FoldedRow {
  readonly apiKey?: ReplayedApiKey
  readonly category?: Replayed<EventData["category.created"]>
  readonly webhook?: Replayed<EventData["webhook.created"]>
  readonly pet?: Replayed<EventData["pet.created"]>
  readonly stock?: Replayed<EventData["inventory.updated"]>
  readonly status?: KnownStatus
  readonly trace?: StockTrace
  readonly order?: Replayed<EventData["order.placed"]>
  /** What is set in the record of a completed order. */
  readonly record?: CountedRecord
  readonly message?: FoldedMessage
}

/** What a creation returned whose event was removed, for as long as a repeated call returns it again. */
interface FoldedCreation {
  readonly result: Row
}

/** A row of the checkpoint by its subject, with its state. */
type CheckpointRow =
  | { readonly kind: "log"; readonly state: LogState }
  | { readonly kind: "row"; readonly table: string; readonly id: string; readonly state: FoldedRow }
  | { readonly kind: "settled"; readonly table: string; readonly state: CheckpointTotal }
  | {
      readonly kind: "created"
      readonly at: string
      readonly table: string
      readonly id: string
      readonly state: FoldedCreation
    }

/** The number of consecutive ids that share a digest. */
export const settledTogether = 256

export const subjectOfRow = (table: string, id: number | string): string => `${table}/${id}`

/** The row with the digest of rows that have ended, so that nothing more happens to them. */
export const subjectOfSettled = (table: string, id: number): string =>
  `settled/${table}/${Math.floor(id / settledTogether)}`

/** Sorts by time, so that the oldest are found. */
export const subjectOfCreation = (at: string, table?: string, id?: number | string): string =>
  ["created", at, ...(table === undefined ? [] : [table, id])].join("/")

/** Before and after the subjects of creations. */
export const creationSubjects = { start: "created/", end: "created0" }

/** The tables of the rows that have events; a pet and its stock are one row. */
const tables: ReadonlySet<string> = new Set(["apiKeys", "categories", "pets", "orders", "messages", "webhooks"])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isTotal = ({ digest, rows }: Readonly<Record<string, unknown>>): boolean =>
  Number.isSafeInteger(digest) && Number.isSafeInteger(rows)

const isReplayed = (value: unknown): boolean => value === undefined || (isObject(value) && isObject(value.data))

const isFolded = ({
  apiKey,
  category,
  message,
  order,
  pet,
  record,
  status,
  stock,
  trace,
  webhook
}: Readonly<Record<string, unknown>>): boolean =>
  [apiKey, category, order, pet, stock, webhook].every(isReplayed) &&
  (status === undefined || isObject(status)) &&
  (record === undefined || (isObject(record) && isObject(record.metadata) && Number.isSafeInteger(record.changes))) &&
  (trace === undefined || (isObject(trace) && isObject(trace.stock))) &&
  (message === undefined ||
    (isObject(message) && Number.isSafeInteger(message.content) && Number.isSafeInteger(message.shown)))

const parsed = (state: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(state)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads a row; undefined if it is none that this petstore writes. The types of states are those with which they are written. */
export const parseCheckpoint = ({ state, subject }: CheckpointRecord): CheckpointRow | undefined => {
  const value = parsed(state)
  const [first = "", second, third, fourth, ...rest] = subject.split("/")
  if (value === undefined || rest.length > 0) return undefined
  const as = <State>(): State => value as State
  if (second === undefined) return first === logSubject && isTotal(value) ? { kind: "log", state: as() } : undefined
  if (first === "settled") {
    return third !== undefined && isTotal(value) ? { kind: "settled", table: second, state: as() } : undefined
  }
  if (first === "created") {
    return third !== undefined && fourth !== undefined && isObject(value.result)
      ? { kind: "created", at: second, table: third, id: fourth, state: as() }
      : undefined
  }
  return third === undefined && tables.has(first) && isFolded(value)
    ? { kind: "row", table: first, id: second, state: as() }
    : undefined
}

/** The digest of a row. That of the row `log` leaves out the total, which contains it. */
export const digestOfRow = ({ seq, state, subject }: CheckpointRecord): number => digestOf(subject, seq, state)

export const digestOfLog = (seq: number, { at, resultsFrom }: LogState): number =>
  digestOf(logSubject, seq, at, resultsFrom)

/** The id of a row of a table as its events have it. */
export const idOf = (table: string, id: string): number | string => (table === "messages" ? id : Number(id))
