import * as Effect from "effect/Effect"
import { checkpoints, verificationSubject } from "../../../tables/checkpointTable.ts"
import { plus } from "../digest.ts"
import { parseVerification } from "../lastVerification.ts"
import type { Pass } from "../Pass.ts"
import { eachPageOf } from "../pages.ts"
import {
  type CheckpointTotal,
  digestOfLog,
  digestOfRow,
  idOf,
  type LogState,
  noRows,
  parseCheckpoint
} from "./CheckpointState.ts"

/** What of the log was removed. */
export interface RemovedEvents {
  /** The `seq` of the last one; 0 if there is none. */
  readonly last: number
  /** What creations before this time returned is not kept. */
  readonly resultsFrom: string | undefined
}

const noSuchRow = "no checkpoint has such a row"

/** Checks the checkpoint by itself, and notes its rows with the rows that they are about. */
export const noteCheckpoints = ({ log, note, report, store }: Pass) =>
  Effect.gen(function* () {
    const [check, checkTotal, checkTimes] = [report.on("checkpoint"), report.on("checkpoints"), report.on("times")]
    let total: CheckpointTotal = noRows
    let end: { readonly seq: number; readonly state: LogState } | undefined
    yield* eachPageOf(
      store,
      checkpoints,
      Effect.fnUntraced(function* (page) {
        for (const record of page) {
          const { seq, state, subject } = record
          if (subject === verificationSubject) {
            const last = parseVerification(state)
            check({ subject, problem: last === undefined ? noSuchRow : undefined })
            if (last !== undefined) checkTimes({ row: { subject }, times: { at: last.at } })
            continue
          }
          const row = parseCheckpoint(record)
          check({ subject, problem: row === undefined ? noSuchRow : undefined })
          if (row?.kind === "log") {
            end = { seq, state: row.state }
            checkTimes({ row: { subject }, times: { at: row.state.at } })
            continue
          }
          total = { rows: total.rows + 1, digest: plus(total.digest, digestOfRow(record)) }
          if (row === undefined) continue
          if (row.kind === "settled") log.settled.expect(subject, row.state)
          else if (row.kind === "created") {
            const { at, state, table } = row
            const id = idOf(table, row.id)
            note(table, id, ["creation", id, at, state.result])
          } else {
            const id = idOf(row.table, row.id)
            note(row.table, id, ["folded", id, row.state])
          }
        }
      })
    )
    const { digest, rows } = end?.state ?? noRows
    const own = end === undefined ? 0 : digestOfLog(end.seq, end.state)
    checkTotal({ stored: { rows: total.rows, digest: plus(total.digest, own) }, expected: { rows, digest } })
    return { last: end?.seq ?? 0, resultsFrom: end?.state.resultsFrom } satisfies RemovedEvents
  })
