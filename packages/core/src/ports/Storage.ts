import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { AccountRows } from "./AccountRows.ts"
import type { ApiKeyRows } from "./ApiKeyRows.ts"
import type { CategoryRows } from "./CategoryRows.ts"
import type { CommandName } from "./CommandName.ts"
import type { EventRows } from "./EventRows.ts"
import type { Hasher } from "./Hasher.ts"
import type { HostTransaction } from "./HostTransaction.ts"
import type { IdempotencyRows } from "./IdempotencyRows.ts"
import type { ImportRows } from "./ImportRows.ts"
import type { MessageRows } from "./MessageRows.ts"
import type { MovementRows } from "./MovementRows.ts"
import type { OrderRows } from "./OrderRows.ts"
import type { PetRows } from "./PetRows.ts"
import type { StorageError } from "./StorageError.ts"
import type { TemporaryLists } from "./TemporaryLists.ts"
import type { Transaction } from "./Transaction.ts"

/**
 * What a store must offer. Lists and scans go on behind a position, which may be below every id (-Infinity) or above (Infinity).
 * Reading outside a transaction sees committed state only; inside one it sees the transaction.
 * `storageContract` in `@petstore/testing` says each promise as a test.
 */
export class Storage extends Context.Service<
  Storage,
  {
    /**
     * Runs a body that is all or nothing and serializable for what it touches, and answers only after what it did (or,
     * for a refusal, what it saw) is durable. A failing, dying or interrupted body leaves nothing behind. Inside a body
     * of the same store it is a part of that transaction which can fail alone; inside a body of another store it dies.
     * Bodies contain storage calls only: one that waits for anything else dies. `command` names the command that runs,
     * for decorators of a store that report it; stores ignore it.
     */
    readonly transact: <A, E, R>(
      body: Effect.Effect<A, E, R>,
      command?: CommandName
    ) => Effect.Effect<A, E | StorageError, Exclude<R, Transaction>>
    /**
     * Runs a body inside a transaction that the host has open on its own connection to this database, as a part of it
     * that can fail alone: a body that does not succeed leaves nothing, and the host's transaction goes on. Nothing is
     * durable before the host commits. Bodies that are given one transaction at the same time take turns. Dies with a
     * TypeError where the transaction cannot be joined: of another database, not open, none at all. Absent where the store
     * has no host transactions.
     */
    readonly join?: <A, E, R>(
      transaction: HostTransaction,
      body: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StorageError, Exclude<R, Transaction>>
    /** Runs a body whose reads all see one committed moment. It may yield, and waits for nothing else. */
    readonly snapshot: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /**
     * The same for a body that reads the whole store and takes minutes, if that should not hold the store up: while a snapshot
     * is open, a store may have to keep all that is written. `inspect` in the body is about that moment too. Absent where
     * `snapshot` serves as well.
     */
    readonly detachedSnapshot?: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>
    /** Temporary space on disk, for work on more than fits in memory. Absent where the store has none: then memory is used. */
    readonly temporaryLists?: Effect.Effect<TemporaryLists, StorageError, Scope.Scope>
    /**
     * Calls `wake` soon after events have appeared in the log, whichever store, process or other program committed them,
     * until the scope closes. One call may stand for many commits, and one too many does no harm; but no event appears
     * after the watch began without a call that follows. `wake` only takes note: it returns at once and throws nothing.
     */
    readonly watch: (wake: () => void) => Effect.Effect<void, StorageError, Scope.Scope>
    /**
     * Succeeds when a write has just been made durable in this store, or was within the last second and none has failed
     * since. Fails as a write would. Calls at the same time share one write.
     */
    readonly ready: Effect.Effect<void, StorageError>
    /** What is wrong with the store itself (damaged pages, broken references); empty where nothing is. */
    readonly inspect: Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Copies a committed state to a new file; undefined where the store has no files. */
    readonly backup: ((file: string) => Effect.Effect<void, StorageError>) | undefined
    readonly pets: PetRows
    readonly categories: CategoryRows
    readonly orders: OrderRows
    readonly movements: MovementRows
    readonly events: EventRows
    readonly messages: MessageRows
    readonly accounts: AccountRows
    readonly apiKeys: ApiKeyRows
    readonly idempotency: IdempotencyRows
    readonly imports: ImportRows
  }
>()("@petstore/core/ports/Storage") {}

/** A storage to build a petstore on, as adapters make it. The store opens when the petstore does, and closes with it. */
export interface StorageAdapter {
  /** For people: which kind of store. */
  readonly name: string
  readonly layer: Layer.Layer<Storage, StorageError>
  /** How to hash on the platform of this adapter; in plain JavaScript if absent. */
  readonly hasher?: Hasher["Service"]
}
