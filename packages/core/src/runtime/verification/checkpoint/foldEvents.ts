import type { CheckpointRecord } from "../../../tables/checkpointTable.ts"
import { logSubject } from "../../../tables/checkpointTable.ts"
import type { EventRecord } from "../../../tables/eventTable.ts"
import { minus, plus } from "../digest.ts"
import { EventLog } from "../EventLog.ts"
import { isReplayable, rowOf } from "../eventRules.ts"
import type { Row } from "../Finding.ts"
import { Report } from "../Report.ts"
import { rules } from "../rules.ts"
import {
  type CheckpointTotal,
  digestOfLog,
  digestOfRow,
  type LogState,
  noRows,
  parseCheckpoint,
  subjectOfCreation,
  subjectOfRow,
  subjectOfSettled
} from "./CheckpointState.ts"
import { digestOfEnded } from "./settled.ts"

/** The rows of the checkpoint that may change with these events. */
export const subjectsOf = (events: ReadonlyArray<EventRecord>): ReadonlyArray<string> => {
  const subjects = new Set([logSubject])
  for (const event of events) {
    if (!isReplayable(event)) continue
    const { id, table } = rowOf(event)
    subjects.add(subjectOfRow(table, id))
    if (typeof id === "number") subjects.add(subjectOfSettled(table, id))
  }
  return [...subjects]
}

/** Events that are to be removed, and the checkpoint before. */
interface Folding {
  /** The next events of the log, at least one. */
  readonly events: ReadonlyArray<EventRecord>
  /** The rows of {@link subjectsOf} that there are. */
  readonly rows: ReadonlyArray<CheckpointRecord>
  /** Creations whose results are no longer kept. */
  readonly expired: ReadonlyArray<CheckpointRecord>
  /** Whether a creation may have been made with an idempotency key, so that what it returned is kept. */
  readonly keepsResults: boolean
  /** The results of creations before this time are not kept. */
  readonly resultsFrom: string
  /** The time now. */
  readonly at: string
}

/** How the checkpoint changes, the row `log` last; or why it cannot include the events. */
type Folded =
  | { readonly saved: ReadonlyArray<CheckpointRecord>; readonly removed: ReadonlyArray<string> }
  | { readonly problem: string }

/** The rows of the checkpoint while events are folded into it. */
class Rows {
  private readonly before = new Map<string, CheckpointRecord>()
  private readonly saved = new Map<string, CheckpointRecord>()
  private readonly removed = new Set<string>()
  private total: CheckpointTotal

  constructor(records: ReadonlyArray<CheckpointRecord>, total: CheckpointTotal) {
    for (const record of records) this.before.set(record.subject, record)
    this.total = total
  }

  find(subject: string): CheckpointRecord | undefined {
    return this.saved.get(subject) ?? (this.removed.has(subject) ? undefined : this.before.get(subject))
  }

  save(subject: string, seq: number, state: object): void {
    this.remove(subject)
    const record = { subject, seq, state: JSON.stringify(state) }
    this.removed.delete(subject)
    this.saved.set(subject, record)
    this.total = { rows: this.total.rows + 1, digest: plus(this.total.digest, digestOfRow(record)) }
  }

  remove(subject: string): void {
    const record = this.find(subject)
    if (record === undefined) return
    this.saved.delete(subject)
    this.removed.add(subject)
    this.total = { rows: this.total.rows - 1, digest: minus(this.total.digest, digestOfRow(record)) }
  }

  /** All changes, and the row `log` with this state. */
  finish(seq: number, state: Pick<LogState, "at" | "resultsFrom">): Folded {
    const whole = { ...state, ...this.total }
    const log = { ...whole, digest: plus(whole.digest, digestOfLog(seq, whole)) }
    return {
      saved: [...this.saved.values(), { subject: logSubject, seq, state: JSON.stringify(log) }],
      removed: [...this.removed].filter((subject) => this.before.has(subject))
    }
  }
}

/** The total of all rows but `log`. */
const totalOf = (seq: number, log: LogState | undefined): CheckpointTotal =>
  log === undefined ? noRows : { rows: log.rows, digest: minus(log.digest, digestOfLog(seq, log)) }

/** What a checkpoint has in place of rows that have ended, by its subject. */
type SettledTotals = ReadonlyMap<string, CheckpointTotal & { readonly seq: number }>

/** Adds what has ended to its rows of the checkpoint. Returns what is wrong with one of them. */
const addSettled = (rows: Rows, settled: SettledTotals): string | undefined => {
  for (const [subject, added] of settled) {
    const record = rows.find(subject)
    const row = record && parseCheckpoint(record)
    if (record !== undefined && row?.kind !== "settled") return `the row ${subject} of the checkpoint is damaged`
    const total = row?.kind === "settled" ? row.state : noRows
    rows.save(subject, Math.max(added.seq, record?.seq ?? 0), {
      rows: total.rows + added.rows,
      digest: plus(total.digest, added.digest)
    })
  }
}

/**
 * Folds events into the checkpoint: the state that their replay leads to. Every rule that verification checks on events must
 * hold, so that no fault of the log disappears with the events.
 */
export const foldEvents = ({ at, events, expired, keepsResults, resultsFrom, rows: records }: Folding): Folded => {
  const { logRow, others } = separate(records)
  const before = logRow && parseCheckpoint(logRow)
  if (logRow !== undefined && before?.kind !== "log") return { problem: "the row log of the checkpoint is damaged" }
  const logState = before?.kind === "log" ? before.state : undefined
  const report = new Report(rules)
  const created: Array<{ readonly subject: string; readonly seq: number; readonly result: Row }> = []
  let current: { readonly seq: number; readonly table: string } = { seq: 0, table: "" }
  const log = new EventLog(report, {
    created: (id, result, time) => {
      const { seq, table } = current
      if (keepsResults && time >= resultsFrom)
        created.push({ subject: subjectOfCreation(time, table, id), seq, result: result() })
    }
  })
  log.isTrimmed = logRow !== undefined
  const rows = new Rows([...others, ...expired], totalOf(logRow?.seq ?? 0, logState))
  const [checkNumber, check] = [report.on("eventNumber"), report.on("event")]
  const touched = new Map<string, { readonly table: string; readonly id: number | string; seq: number }>()
  let last = logRow?.seq ?? 0
  for (const event of events) {
    checkNumber({ seq: event.seq, expectedSeq: last + 1 })
    check(event)
    last = event.seq
    if (!isReplayable(event)) break
    const { id, table } = rowOf(event)
    const subject = subjectOfRow(table, id)
    const known = touched.get(subject)
    if (known === undefined) {
      touched.set(subject, { table, id, seq: last })
      const record = rows.find(subject)
      const row = record && parseCheckpoint(record)
      if (record !== undefined && row?.kind !== "row")
        return { problem: `the row ${subject} of the checkpoint is damaged` }
      if (row?.kind === "row") log.restore(id, row.state)
    } else known.seq = last
    current = { seq: last, table }
    log.replay(event)
  }
  const broken = report.results.find(({ violations }) => violations > 0)
  if (broken !== undefined)
    return { problem: `the events violate ${broken.name}: ${JSON.stringify(broken.examples[0])}` }

  /** What is added to each row of ended ones: many end in one batch. */
  const settled = new Map<string, CheckpointTotal & { readonly seq: number }>()
  for (const [subject, { id, seq, table }] of touched) {
    if (typeof id === "string") {
      const folded = log.folded(table, id)
      if (folded.message === undefined) rows.remove(subject)
      else rows.save(subject, seq, folded)
      continue
    }
    const folded = log.folded(table, id)
    const digest = digestOfEnded(id, folded)
    const kept = digest === undefined ? folded : folded.record && { record: folded.record }
    if (kept === undefined || Object.keys(kept).length === 0) rows.remove(subject)
    else rows.save(subject, seq, kept)
    if (digest === undefined) continue
    const place = subjectOfSettled(table, id)
    const added = settled.get(place) ?? { ...noRows, seq: 0 }
    settled.set(place, {
      rows: added.rows + 1,
      digest: plus(added.digest, digest),
      seq: Math.max(seq, added.seq)
    })
  }
  const problem = addSettled(rows, settled)
  if (problem !== undefined) return { problem }
  for (const { result, seq, subject } of created) rows.save(subject, seq, { result })
  for (const { subject } of expired) rows.remove(subject)
  return rows.finish(last, { at, resultsFrom })
}

const separate = (records: ReadonlyArray<CheckpointRecord>) => ({
  logRow: records.find(({ subject }) => subject === logSubject),
  others: records.filter(({ subject }) => subject !== logSubject)
})
