import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { MethodName } from "../domain/methodInputs.ts"
import type { ListIndex } from "../domain/records/ListIndex.ts"
import type { FailureOf, Yielded } from "../kernel/Command.ts"
import type { Table } from "../kernel/Table.ts"
import type { Transaction } from "../kernel/Transaction.ts"
import type { EventRecord } from "../tables/eventTable.ts"
import type { Hasher } from "./Hasher.ts"
import type { HostTransaction } from "./HostTransaction.ts"
import type { Restore } from "./Restore.ts"
import type { Rows } from "./Rows.ts"
import type { StorageActivity } from "./StorageActivity.ts"
import type { StorageError } from "./StorageError.ts"

/**
 * The operations that a storage adapter implements. `storageContract` of `@petstore/testing` tests every promise of them.
 *
 * Commands are the only way to change a store. What it reads for others is committed. Lists and scans return the rows after a
 * position, which may be below every id (-Infinity) or above (Infinity).
 *
 * The promises are the same for stores whose transactions run one after the other and for those where they overlap. An id is
 * never used twice, but with many writers a row with a lower id may appear after one with a higher id. To miss nothing, read
 * the event log.
 */
export class Storage extends Context.Service<
  Storage,
  Rows & {
    /**
     * Runs a command as a transaction: atomic, and serializable with all that read or write the same rows. It returns after the
     * commit is durable; if the command fails, after the state that it read is durable. The store calls `begin` for each run, which
     * may be more than one, for example after a deadlock, or alone after it ran together with others. Only the last run counts: what
     * it has collected is written when it ends, and if it fails or throws, nothing. Each run calls {@link OnTransactionStart}. A
     * caller that is interrupted after the first start waits for the outcome. `command` is the name of the command, for decorators.
     */
    readonly run: RunCommand
    /**
     * Ids for rows of a table that are written later, with other writes: this process gives none of them to another row meanwhile.
     * Absent if the store cannot guarantee that: `petstore.transaction` then creates nothing.
     */
    readonly reserve?: <Row>(table: Table<Row>, count: number) => Effect.Effect<ReadonlyArray<number>, StorageError>
    /**
     * Runs a command in a transaction that the host application has open on its own connection to this database. What it has collected
     * is written when it ends, all of it or nothing, and the transaction of the host application continues. Changes are durable when
     * the host application commits. Commands in one transaction run one after another. Dies with a TypeError if the transaction cannot
     * be joined, because it is not open or belongs to another database, or if the value is no transaction. With many writers the
     * transaction must be READ COMMITTED: under a stricter level, statements read the state from before a lock was waited for, so the
     * store rejects it with a TypeError. Absent if the store cannot join transactions.
     */
    readonly join?: <Y extends Yielded, A>(
      transaction: HostTransaction,
      begin: BeginCommand<Y, A>
    ) => Effect.Effect<A, FailureOf<Y> | StorageError>
    /**
     * Runs a body whose reads all see the same committed state. The body may yield, and may wait for storage calls only. One that
     * needs no fiber may run more than once, and only its last run counts.
     */
    readonly snapshot: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /**
     * The same as `snapshot`, for a body that takes minutes because it reads the whole store: an open snapshot may stop a
     * store from reclaiming space. `inspect` in the body inspects that snapshot. Absent if `snapshot` serves as well.
     */
    readonly detachedSnapshot?: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /**
     * Calls `notify` soon after events appear in the log, whichever store, process or program committed them, until the
     * scope closes. One call may report several commits, and there may be more calls than needed, but never fewer: every
     * event that appears after the watch began is followed by a call. `notify` must return at once and not throw.
     *
     * A store that has the events at hand may pass them if a watch wants them, so that they need not be read: all that one commit
     * has added, in ascending `seq`, exactly as `scan` returns them. All watchers share them: they may freeze the events, and change nothing else.
     */
    readonly watch: (
      notify: (appeared?: ReadonlyArray<EventRecord>) => void,
      options?: WatchOptions
    ) => Effect.Effect<void, StorageError, Scope.Scope>
    /**
     * Succeeds after a write to this store became durable, now or within the last second if none failed since. Fails as a
     * write would. Concurrent calls share one write.
     */
    readonly ready: Effect.Effect<void, StorageError>
    /**
     * How many milliseconds the clock of the database is ahead of `Date.now()` of this process, as last measured. Every time that commands
     * write or compare is by the clock of the database. Called for each of them. Absent if all processes of the store run on one machine.
     */
    readonly clockOffset?: () => number
    /** What this store has done since it was opened. `TransactionCounts` of the adapter toolkit implements it. */
    readonly activity: StorageActivity
    /** The problems of the store itself, such as damaged pages or broken references; empty if there are none. */
    readonly inspect: Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Copies a committed state to a new file; undefined if the store has no files. */
    readonly backup: ((file: string) => Effect.Effect<void, StorageError>) | undefined
    /**
     * Builds the index by which queries find `words`, unless there is one. From then on the store keeps it, also without this call. Such
     * queries come only after it. Absent if the store cannot find words.
     */
    readonly indexWords?: Effect.Effect<void, StorageError>
    /**
     * Builds the indexes of lists that the store lacks, of the rows that it has, or fails if it may not change its schema. It stays if
     * others are built at the same time. `dropsOthers`: drops those that were built for other lists. Stores that are open need not know:
     * the database keeps the indexes. `tableIndexesOf` says what they consist of. Absent if the store builds none.
     */
    readonly buildIndexes?: (
      indexes: ReadonlyArray<ListIndex>,
      options?: { readonly dropsOthers?: boolean }
    ) => Effect.Effect<void, StorageError>
    /** Fills an empty store with the records of another one, for copies. Absent if the store cannot be copied to. */
    readonly restore?: Restore
  }
>()("@petstore/core/ports/Storage") {}

/** Makes a command, which then runs from its start, with the services of the fiber for which it runs. */
export type BeginCommand<Y extends Yielded, A> = (
  transaction: Transaction,
  context: Context.Context<never>
) => Generator<Y, A, unknown>

/** Runs a command, which finds the span of its transaction among its services. */
export type RunCommand = <Y extends Yielded, A>(
  begin: BeginCommand<Y, A>,
  command?: CommandName
) => Effect.Effect<A, FailureOf<Y> | StorageError>

/** A storage for a petstore, as adapters create it. The store opens and closes with the petstore. */
export interface StorageAdapter {
  /** The kind of store, for messages. */
  readonly name: string
  readonly layer: Layer.Layer<Storage, StorageError>
  /** Hashing on the platform of this adapter. Default: plain JavaScript. */
  readonly hasher?: Hasher["Service"]
}

/** What a watch on commits wants to know of them. */
export interface WatchOptions {
  /** Whether it uses the events that a commit has added. Most watches only look for work. */
  readonly events?: boolean
}

/** How much of a store is in memory at a time while its rows are checked. */
export interface VerificationLimits {
  /** Ids of a table that are checked together. */
  readonly ids: number
  /** Facts about rows that wait in memory for their rows. */
  readonly facts: number
}

/** The result of one rule. */
export interface CheckResult {
  /** A short name of the rule that stays the same. */
  readonly name: string
  /** The rule that must hold, as a sentence. */
  readonly rule: string
  /** How many rows it was checked on. */
  readonly checked: number
  readonly violations: number
  /** The first rows that violate it. */
  readonly examples: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const background = new Set([
  "deliveries.claim",
  "deliveries.create",
  "deliveries.extend",
  "deliveries.purge",
  "deliveries.record",
  "deliveries.release",
  "events.trim",
  "messages.claim",
  "messages.extend",
  "messages.finish",
  "messages.purge",
  "messages.release"
] as const)

/** The names of background work. */
export type BackgroundCommand = typeof background extends ReadonlySet<infer Name> ? Name : never

/** Whether a command is background work, which lets the commands of callers go first. */
export const isBackground = (command: CommandName | undefined): command is BackgroundCommand =>
  (background as ReadonlySet<CommandName | undefined>).has(command)

/** The commands that run a transaction, by the name of their method. Each passes its name to {@link Storage.run}. */
export type CommandName =
  | MethodName
  | BackgroundCommand
  | "apiKeys.hasAdmin"
  | "apiKeys.touch"
  | `consumers.${"open" | "claim" | "extend" | "record" | "release" | "remove" | "replay" | "discard"}`
  | `imports.${"begin" | "store" | "finish"}`
  | "orders.expire"
  | "webhooks.encrypt"
  | "once"
  | "transaction"
  | "verification.record"
