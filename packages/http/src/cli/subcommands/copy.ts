import { realpathSync } from "node:fs"
import { PetstoreError } from "@petstore/core/domain"
import { Storage, type StorageAdapter, type StorageError } from "@petstore/core/effect"
import { VerificationProgress } from "@petstore/core/ports"
import { Verification } from "@petstore/core/runtime"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { type Copied, copyStore, differencesOf, total } from "../copy/copyStore.ts"
import { accessLog, type WholeStore } from "../copy/Part.ts"
import { createdStorage, existingStorage } from "../database.ts"
import { Stopped, SubcommandFailed, UsageError } from "../errors.ts"
import { describe } from "../exitStatus.ts"
import type { Database } from "../settings.ts"
import { untilStopped } from "../stopSignal.ts"
import { Progress } from "../terminal/Progress.ts"
import { table } from "../terminal/table.ts"
import { style } from "../terminal/text.ts"

interface CopyInput {
  readonly from: Database
  readonly to: Database
  /** Whether the source may change meanwhile: then its later changes are not copied. */
  readonly snapshot: boolean
}

const isWhole = (store: Storage["Service"]): store is WholeStore => store.restore !== undefined

/** Opens a store without a petstore on it, which does not open on an unfinished copy. */
const openStore = (
  adapter: Effect.Effect<StorageAdapter, UsageError>
): Effect.Effect<WholeStore, UsageError | StorageError, Scope.Scope> =>
  Effect.gen(function* () {
    const { layer, name } = yield* adapter
    const store = Context.get(yield* Layer.build(layer), Storage)
    return isWhole(store) ? store : yield* new UsageError({ message: `The storage ${name} cannot be copied` })
  })

const identityOf = ({ schema, storage, tablePrefix }: Database): string => {
  if (storage.kind === "postgres") return `${Redacted.value(storage.url)} ${schema}`
  try {
    return `${realpathSync(storage.file)} ${tablePrefix}`
  } catch {
    return `${storage.file} ${tablePrefix}`
  }
}

const again = "The copy is not finished. Delete the target, and run the same command again"

/** Fails if the source has changed since the snapshot of it was read. */
const requireUnchanged = (source: WholeStore, { counts, parts }: Copied) =>
  Effect.gen(function* () {
    const { events } = yield* source.restore.counts
    const access = parts.find(({ part }) => part === accessLog)
    const changes = access === undefined ? [] : yield* accessLog.page(source, access.last, 1)
    if (events === counts.events && changes.length === 0) return
    return yield* new SubcommandFailed({
      message: `The source changed while it was copied: event ${counts.events} is the last one in the copy, and event ${events} the last one in the source. The copy is not finished. Stop all processes on the source, delete the target and copy again; or add --snapshot to keep a copy of one moment`
    })
  })

const verifyAll = (target: WholeStore, progress: Progress) =>
  Effect.flatMap(Verification, ({ verify }) => verify).pipe(
    Effect.provideService(VerificationProgress, (share) => progress.show("verified", share)),
    Effect.provide(Layer.provide(Verification.layer, Layer.succeed(Storage, target)))
  )

const summary = ({ parts }: Copied): string =>
  table([["table", "rows"], ...parts.map(({ part, rows }) => [part.name, String(rows)])])

/** Copies a whole store to another database, compares the number of rows, and checks every invariant. */
export const run = Effect.fnUntraced(function* ({ from, snapshot, to }: CopyInput) {
  if (identityOf(from) === identityOf(to)) {
    return yield* new UsageError({ message: "--from and --to name the same database; name a new one with --to" })
  }
  const progress = new Progress(process.stderr, { now: () => performance.now(), style: yield* style })
  let copied = 0

  const copying = Effect.gen(function* () {
    const source = yield* openStore(existingStorage(from, "--from"))
    if ((yield* source.restore.note) !== undefined) {
      return yield* new UsageError({
        message: "The source is an unfinished copy of another database. Copy from that database"
      })
    }
    const target = yield* openStore(createdStorage(to))
    const rows = Math.max(1, total(yield* source.restore.counts))
    const copy = yield* source.snapshot(
      copyStore(source, target, (more) => {
        copied += more
        progress.show(`${copied} rows copied`, Math.min(1, copied / rows))
      })
    )
    if (!snapshot) yield* requireUnchanged(source, copy)
    const differences = differencesOf(copy.counts, yield* target.restore.counts)
    if (differences.length > 0) {
      return yield* new SubcommandFailed({
        message: `The copy differs from the source, so it is not finished: ${differences.join("; ")}. Something else writes to the target. Delete it and copy again`
      })
    }
    const { checks } = yield* verifyAll(target, progress)
    yield* target.restore.finish
    progress.clear()
    const violations = checks.reduce((sum, check) => sum + check.violations, 0)
    yield* Console.log(
      `${summary(copy)}\nEvery row was copied. ${violations} violations of ${checks.length} invariants`
    )
    if (violations > 0) {
      return yield* new SubcommandFailed({
        message: "The copy breaks invariants, as its source does. See petstore verify"
      })
    }
  })

  yield* untilStopped(Effect.scoped(copying)).pipe(
    Effect.ensuring(Effect.sync(() => progress.clear())),
    Effect.catchTag("Stopped", ({ signal }) => Effect.fail(new Stopped({ signal, message: again }))),
    Effect.mapError((error) =>
      error instanceof PetstoreError && copied > 0
        ? new SubcommandFailed({ message: `${describe(error)} ${again}` })
        : error
    )
  )
})
