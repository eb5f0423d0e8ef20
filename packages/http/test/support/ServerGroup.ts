import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { freePort } from "../../../adapters/test/support/freePort.ts"
import { testDatabase } from "../../../adapters/test/support/postgres.ts"
import { temporaryFolder } from "./folder.ts"
import { type RunningServer, startPetstore, startServer } from "./PetstoreProcess.ts"
import { startRoundRobin } from "./RoundRobin.ts"

/** The kinds of storage that several servers can share, each with a new, empty one as `--storage` takes it. */
export const sharedStorages: Readonly<Record<string, Effect.Effect<string, never, Scope.Scope>>> = {
  SQLite: Effect.map(temporaryFolder, (folder) => `sqlite:${join(folder, "pets.db")}`),
  PostgreSQL: testDatabase
}

/** Valid on every server of a group; not stored. */
export const groupAdminKey = "servers-admin-key-0123456789"

/** Several `petstore serve` processes on one database behind one address. */
export interface ServerGroup {
  /** The URL of the API behind the common address. */
  readonly url: string
  readonly servers: ReadonlyArray<RunningServer>
  /** Kills a server with SIGKILL, and starts another one at the same address. */
  readonly replace: (index: number) => Effect.Effect<void>
  /** Runs a subcommand on the database in a process of its own. */
  readonly run: (
    ...args: ReadonlyArray<string>
  ) => Effect.Effect<{ readonly code: number | null; readonly out: string }>
}

export interface GroupOptions {
  /** As `--storage` takes it. */
  readonly storage: string
  readonly count?: number
  readonly args?: ReadonlyArray<string>
}

/** Starts a group that ends with the scope. The first server migrates the database. */
export const startServers = ({
  args = [],
  count = 3,
  storage
}: GroupOptions): Effect.Effect<ServerGroup, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const env = { PETSTORE_STORAGE: storage, PETSTORE_ADMIN_KEY: groupAdminKey }
    const start = (flags: ReadonlyArray<string>) => startServer([...args, ...flags], { env })
    // A server that is started again finds its port free: the system gives it to no connection meanwhile.
    const startNew = Effect.flatMap(Effect.promise(freePort), (port) => start(["--port", String(port)]))
    const first = yield* startNew
    const others = yield* Effect.all(
      Array.from({ length: count - 1 }, () => startNew),
      { concurrency: "unbounded" }
    )
    const servers = [first, ...others]
    const { origin } = yield* startRoundRobin(() => servers.map(({ url }) => new URL(url).origin))
    return {
      url: `${origin}/v1`,
      servers,
      replace: (index) =>
        Effect.gen(function* () {
          const server = servers[index]
          if (server === undefined) return
          server.child.kill("SIGKILL")
          yield* server.ended
          servers[index] = yield* start(["--port", new URL(server.url).port])
        }).pipe(Effect.provideService(Scope.Scope, scope)),
      run: (...command) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { ended, stderr, stdout } = yield* startPetstore(command, { env })
            const code = yield* ended
            return { code, out: stdout() + stderr() }
          })
        )
    }
  })
