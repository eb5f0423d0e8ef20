import { realpathSync } from "node:fs"
import { PetstoreError } from "@petstore/core/domain"
import { Storage, type StorageAdapter, type StorageError } from "@petstore/core/effect"
import { Verification } from "@petstore/core/services"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { compareStore, copyStore, type PartDigest, total } from "../copy/copyStore.ts"
import type { WholeStore } from "../copy/Part.ts"
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

const resume = "The copy is not finished. Run the same command again to continue"

/** Fails if the source has changed since the snapshot of it was read. */
const requireUnchanged = (source: WholeStore, digests: ReadonlyArray<PartDigest>) =>
  Effect.gen(function* () {
    const counts = yield* source.restore.counts
    const copied = digests.find(({ part }) => part.name === "events")?.rows ?? 0
    const access = digests.filter(({ part }) => part.name === "accounts" || part.name === "API keys")
    const changed = counts.events === copied ? yield* compareStore(source, access, () => {}) : ["events"]
    if (changed.length === 0) return
    return yield* new SubcommandFailed({
      message: `The source changed while it was copied: event ${copied} is the last one in the copy, and event ${counts.events} the last one in the source. The copy is not finished. Stop all processes on the source, delete the target and copy again; or add --snapshot to keep a copy of one moment`
    })
  })

const verifyAll = (target: WholeStore) =>
  Effect.flatMap(Verification, ({ verify }) => verify).pipe(
    Effect.provide(Layer.provide(Verification.layer, Layer.succeed(Storage, target)))
  )

const summary = (digests: ReadonlyArray<PartDigest>): string =>
  table([["table", "rows"], ...digests.map(({ part, rows }) => [part.name, String(rows)])])

/** Copies a whole store to another database, compares every row, and checks every invariant. */
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
        message: "The source is an unfinished copy of another database. Finish that copy first, or copy from its source"
      })
    }
    const target = yield* openStore(createdStorage(to))
    const rows = Math.max(1, total(yield* source.restore.counts))
    const show = (verb: string, done: number, before: number) =>
      progress.show(`${done} rows ${verb}`, Math.min(1, (before + done) / (2 * rows)))

    const digests = yield* source.snapshot(
      copyStore(source, target, (rows) => {
        copied += rows
        show("copied", copied, 0)
      })
    )
    if (!snapshot) yield* requireUnchanged(source, digests)
    let compared = 0
    const differences = yield* compareStore(target, digests, (rows) => {
      compared += rows
      show("compared", compared, copied)
    })
    if (differences.length > 0) {
      return yield* new SubcommandFailed({
        message: `The copy differs from the source, so it is not finished: ${differences.join("; ")}. Something else writes to the target, or the source changed between two runs. Delete the target and copy again`
      })
    }
    const { checks } = yield* verifyAll(target)
    yield* target.restore.finish
    progress.clear()
    const violations = checks.reduce((sum, check) => sum + check.violations, 0)
    yield* Console.log(
      `${summary(digests)}\nEvery row is the same in both. ${violations} violations of ${checks.length} invariants`
    )
    if (violations > 0) {
      return yield* new SubcommandFailed({
        message: "The copy breaks invariants, as its source does. See petstore verify"
      })
    }
  })

  yield* untilStopped(Effect.scoped(copying)).pipe(
    Effect.ensuring(Effect.sync(() => progress.clear())),
    Effect.catchTag("Stopped", ({ signal }) => Effect.fail(new Stopped({ signal, message: resume }))),
    Effect.mapError((error) =>
      error instanceof PetstoreError && copied > 0
        ? new SubcommandFailed({ message: `${describe(error)} ${resume}` })
        : error
    )
  )
})
