import { InternalError } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ConnectionPool } from "../connection/ConnectionPool.ts"
import { orStorageError } from "../connection/errors.ts"
import { replicaSource } from "../connection/sourceOf.ts"
import { type PostgresOptions, settingsOf } from "../PostgresOptions.ts"
import type { StatementRunner } from "../statements/Statement.ts"
import { clusterIdentity, ReplicaReads } from "./ReplicaReads.ts"

/**
 * Adds the replica of the options to what runs statements on committed state. Fails if the replica belongs to another
 * primary; one that cannot be reached now is used when it is back.
 */
export const withReplica = Effect.fnUntraced(function* (
  options: PostgresOptions,
  pool: ConnectionPool,
  committed: StatementRunner
): Effect.fn.Return<StatementRunner, StorageError, Scope.Scope> {
  if (options.replica === undefined) return committed
  const source = yield* replicaSource(options.replica, options)
  const replica = yield* Effect.acquireRelease(
    Effect.sync(() => new ConnectionPool(source, settingsOf(options).maxConnections, 500)),
    (opened) => Effect.promise(() => opened.close())
  )
  const identity = yield* orStorageError(() => pool.use(clusterIdentity))
  const replicaIdentity = yield* Effect.option(orStorageError(() => replica.use(clusterIdentity)))
  if (replicaIdentity._tag === "Some" && replicaIdentity.value !== identity) {
    return yield* new InternalError(
      {},
      { message: `The replica ${source.address} is no copy of ${pool.address}: pass the URL of one of its standbys.` }
    )
  }
  return new ReplicaReads(committed, pool, replica, identity)
})
