import * as Effect from "effect/Effect"
import type { RecordKind } from "../../domain/records/ResourceRecord.ts"
import type { Column, Table, Value } from "../../kernel/Table.ts"
import type { Rows } from "../../ports/Rows.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import { type RecordRow, recordsOf } from "../../tables/recordTable.ts"
import { type Buckets, eachIn, nextOf, type Range, type Source } from "./Buckets.ts"
import type { EventLog } from "./EventLog.ts"
import type { Fact } from "./Facts.ts"
import { eachPageOf } from "./pages.ts"
import type { Report } from "./Report.ts"
import type { StoredResults } from "./StoredResults.ts"

/** What of a store is verified. */
export type VerifiedStore = Rows & Pick<Storage["Service"], "clockOffset">

/** One verification of a store: what its steps share. */
export interface Pass {
  readonly store: VerifiedStore
  readonly report: Report
  readonly buckets: Buckets
  readonly log: EventLog
  /** How many events the log has. */
  kept: number
  /** Notes that events were read, in the log or with their rows, for the share that is done. */
  readonly onRead: (events: number) => void
  readonly results: StoredResults
  /** Checks an event by itself. Events that {@link takeFacts} replays are checked there. */
  readonly checkEvent: (event: EventRecord) => void
  /** Notes what one part of the store shows about a row in another. */
  readonly note: (table: string, id: number | string, fact: Fact) => void
  /** The first bucket of a table, above this one, that facts are about. */
  readonly nextNoted: (table: string) => (above: number) => number | undefined
  /** Checks and replays the events about a bucket, takes its stored results, and uses all other facts about it. */
  readonly takeFacts: (
    table: string,
    bucket: number,
    use?: (fact: Exclude<Fact, number | readonly ["creation" | "folded" | "storedResult", ...Array<unknown>]>) => void
  ) => Effect.Effect<void, StorageError>
}

/** Checks the ids of a table, which is read in ascending id. */
export const checkIds = (report: Report, table: string): ((id: number | string) => void) => {
  const check = report.on("row")
  let before: number | string | undefined
  return (id) => {
    check({ table, id, before })
    before = id
  }
}

/** What a report shows of the rows of a table, and which of it is checked of each row by itself. */
interface RowCheck {
  /** What the report calls the column `id`. */
  readonly id?: string
  /** What the report calls the table, if its ids are checked. */
  readonly ids?: string
  /** The columns of times, if not all of them: events show the others. */
  readonly times?: ReadonlyArray<string>
}

const timeColumns = (columns: Readonly<Record<string, { readonly isTime?: true }>>): ReadonlyArray<string> =>
  Object.keys(columns).filter((name) => columns[name]?.isTime)

/** The name of a column as rows and reports have it. */
const fieldOf = (column: string): string => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** Reads some columns of a row, by the names that fields have in reports. */
const readFields = <Row>(
  columns: Readonly<Record<string, Column<Row>>>,
  names: ReadonlyArray<string>,
  nameOf: (column: string) => string = fieldOf
) => {
  const readers = names.flatMap((name) => {
    const column = columns[name]
    return column === undefined ? [] : [[nameOf(name), column.read] as const]
  })
  return (row: Row) => {
    const fields: Record<string, Value> = {}
    for (const [name, read] of readers) fields[name] = read(row)
    return fields
  }
}

/** Checks rows of a table by themselves, in the order of its key: their ids, and the times in its columns. */
export const rowCheck = <Row, Key extends number | string>(
  report: Report,
  { columns, key, keyOf }: Table<Row, Key>,
  { id = "id", ids, times = timeColumns(columns) }: RowCheck
): ((row: Row) => void) => {
  const checkId = ids === undefined ? undefined : checkIds(report, ids)
  const checkTimes = report.on("times")
  const identityOf = readFields(columns, key, (column) => (column === "id" ? id : fieldOf(column)))
  const timesOf = readFields(columns, times)
  return (row) => {
    checkId?.(keyOf(row))
    if (times.length > 0) checkTimes({ row: identityOf(row), times: timesOf(row) })
  }
}

/** Checks each row of a table by itself, and uses it then. */
export const eachRowOf = <Row, Key extends number | string>(
  { report, store }: Pass,
  table: Table<Row, Key>,
  check: RowCheck,
  use: (row: Row) => void | Effect.Effect<void, StorageError>
) => {
  const checkRow = rowCheck(report, table, check)
  return eachPageOf(
    store,
    table,
    Effect.fnUntraced(function* (page) {
      for (const row of page) {
        checkRow(row)
        const more = use(row)
        if (more !== undefined) yield* more
      }
    })
  )
}

/** The records of one kind of resource, which are read in ranges of its ids. */
export const recordRows = ({ log, store }: Pass, kind: RecordKind) => {
  const rows: Source<RecordRow> = {
    fetch: (after, limit) => store.select(recordsOf, { kind, after }, limit),
    idOf: ({ id }) => id
  }
  const byId = new Map<number, RecordRow>()
  return {
    next: nextOf(rows),
    read: (range: Range) => eachIn(rows, range, (row) => byId.set(row.id, row)),
    /** Compares the record of a resource with its events. */
    compare: (id: number, owner?: string): void => {
      log.compareRecord(kind, id, byId.get(id), owner)
      byId.delete(id)
    },
    /** Compares the records that belong to no row of the range. */
    finish: (): void => {
      for (const id of byId.keys()) log.compareRecord(kind, id, byId.get(id))
      byId.clear()
    }
  }
}
