import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { InternalError } from "../domain/errors/ServiceErrors.ts"

/**
 * Opens each database once per process, as {@link SynchronousDatabase} requires: stores that open the same name share it,
 * and the last one to close also closes the database. `open` returns the database, or an Effect that opens it; others that
 * open the name meanwhile wait for that. If it throws, opening fails with an {@link InternalError}; if its Effect fails, with
 * that error.
 */
export const sharedDatabase = <Database, E = never>({
  open,
  close
}: {
  readonly open: (name: string) => Database | Effect.Effect<Database, E, Scope.Scope>
  readonly close: (database: Database) => Promise<void>
}): ((name: string) => Effect.Effect<Database, E | InternalError, Scope.Scope>) => {
  const cannotOpen = (name: string) => (cause: unknown) =>
    new InternalError({}, { message: `Cannot open ${name}: ${cause instanceof Error ? cause.message : cause}`, cause })

  const opened = (name: string): Effect.Effect<Database, E | InternalError, Scope.Scope> =>
    Effect.flatMap(
      Effect.try({ try: () => open(name), catch: cannotOpen(name) }),
      (database): Effect.Effect<Database, E, Scope.Scope> =>
        Effect.isEffect(database)
          ? (database as Effect.Effect<Database, E, Scope.Scope>)
          : Effect.succeed(database as Database)
    )
  const lookup = (name: string) =>
    Effect.acquireRelease(opened(name), (database) => Effect.promise(() => close(database)), { interruptible: true })
  // The map lives as long as the process; each database closes with its last store.
  const databases = Effect.runSync(Scope.provide(RcMap.make({ lookup }), Scope.makeUnsafe()))
  return (name) => RcMap.get(databases, name)
}
