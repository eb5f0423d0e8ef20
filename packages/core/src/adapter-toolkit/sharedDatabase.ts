import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { InternalError } from "../domain/errors/ServiceErrors.ts"

/**
 * Opens each database of this process once, as {@link SynchronousDatabase} asks for: whoever names the same one shares
 * it, and the last to leave closes it. Fails with an {@link InternalError} where `open` throws.
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
  // Lives as long as the process; what it holds is closed by those who leave.
  const databases = Effect.runSync(Scope.provide(RcMap.make({ lookup }), Scope.makeUnsafe()))
  return (name) => RcMap.get(databases, name)
}
