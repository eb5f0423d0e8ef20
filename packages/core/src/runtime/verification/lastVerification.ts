import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Timestamp } from "../../domain/Timestamp.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Commands } from "../../programs/Commands.ts"
import { checkpoints, logSubject, verificationSubject } from "../../tables/checkpointTable.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const State = Schema.Struct({ at: Timestamp, checks: Count, violations: Count })

/** The result of the last verification that was recorded, of any process. */
export interface LastVerification {
  /** When it had ended. */
  readonly at: string
  /** Whether every rule held. */
  readonly ok: boolean
  /** How many rules were checked. */
  readonly checks: number
  readonly violations: number
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(State))

/** Reads the state of its row; undefined if it is none that this petstore writes. */
export const parseVerification = (state: string): LastVerification | undefined =>
  Option.getOrUndefined(
    Option.map(decode(state), (verification) => ({ ...verification, ok: verification.violations === 0 }))
  )

/** Reads what was recorded last. */
export const lastVerification = (
  storage: Pick<Storage["Service"], "find">
): Effect.Effect<LastVerification | undefined, StorageError> =>
  Effect.map(storage.find(checkpoints, verificationSubject), (row) => parseVerification(row?.state ?? ""))

/** Records a result in place of the one before. */
export const recordVerification = Effect.fnUntraced(function* ({
  checks
}: {
  readonly checks: ReadonlyArray<{ readonly violations: number }>
}) {
  const { run: runCommand } = yield* Commands
  const seq = yield* (yield* Storage).events.latest
  yield* runCommand("verification.record", function* (call) {
    const { tx } = call
    // Whoever changes a row of the checkpoint holds that of the log.
    yield* tx.lock(checkpoints, logSubject)
    const violations = checks.reduce((sum, check) => sum + check.violations, 0)
    const state = JSON.stringify({ at: call.now(), checks: checks.length, violations })
    tx.save(checkpoints, { subject: verificationSubject, seq: Math.max(1, seq), state })
  })
})
