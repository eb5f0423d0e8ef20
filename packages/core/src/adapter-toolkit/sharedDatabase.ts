import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { InternalError } from "../domain/errors/ServiceErrors.ts"

/**
 * Opens each database once per process, as {@link SynchronousDatabase} requires: stores that open the same name share it,
 * and the last one to close also closes the database. Fails with an {@link InternalError} if `open` throws.
 */
export const sharedDatabase = <Database>({
  open,
  close
}: {
  readonly open: (name: string) => Database
  readonly close: (database: Database) => Promise<void>
}): ((name: string) => Effect.Effect<Database, InternalError, Scope.Scope>) => {
  const cannotOpen = (name: string) => (cause: unknown) =>
    new InternalError({}, { message: `Cannot open ${name}: ${cause instanceof Error ? cause.message : cause}`, cause })

  const lookup = (name: string) =>
    Effect.acquireRelease(Effect.try({ try: () => open(name), catch: cannotOpen(name) }), (database) =>
      Effect.promise(() => close(database))
    )
  // The map lives as long as the process; each database closes with its last store.
  const databases = Effect.runSync(Scope.provide(RcMap.make({ lookup }), Scope.makeUnsafe()))
  return (name) => RcMap.get(databases, name)
}
