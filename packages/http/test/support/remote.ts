import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, memory, type Petstore, type Rules, type StorageAdapter } from "@petstore/core"
import { createHandler, type HostPrincipal, type HostRequest } from "@petstore/http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { testStores } from "../../../adapters/test/support/postgres/testStores.ts"
import { temporaryFolder } from "./folder.ts"

/** A petstore that is served on a socket of this machine. */
export interface Served {
  readonly petstore: Petstore
  readonly baseUrl: string
  readonly key: Redacted.Redacted<string>
  /** Aborted when it begins to close. */
  readonly closed: AbortSignal
}

const key = Redacted.make("admin-key-of-a-served-petstore")

/** The key of a customer of the app. */
export const keyOfCustomer = (name: string): string => `key-of-${name}`

/** As with `adminKey`, but that the last admin key in the store counts as the last. Customers have their own orders. */
const userOf = (request: HostRequest): HostPrincipal | null => {
  const sent = request instanceof Request ? request.headers.get("authorization") : request.headers.authorization
  if (sent === `Bearer ${Redacted.value(key)}`) return { actor: "admin", accountId: 0, scopes: ["admin"] }
  const [, name] = /^Bearer key-of-(\w+)$/.exec(sent ?? "") ?? []
  return name === undefined ? null : { actor: name, scopes: ["pets:read", "orders:own", "orders:fulfil"] }
}

const listen = (petstore: Petstore): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const handler = createHandler(petstore, { authenticate: userOf, rateLimit: "off" })
      const server = createServer(handler.node)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { handler, server }
    }),
    ({ handler, server }) =>
      Effect.promise(async () => {
        await handler.close()
        const closed = new Promise((resolve) => server.close(resolve))
        server.closeAllConnections()
        await closed
      })
  ).pipe(Effect.map(({ server }) => (server.address() as AddressInfo).port))

/**
 * Serves a new petstore on a storage, with the rules of a host application, until the scope closes. It logs nothing.
 */
export const served = (storage: StorageAdapter, rules: Rules = {}): Effect.Effect<Served, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { layer, ...adapter } = storage
    const petstore = yield* Effect.acquireRelease(
      Effect.promise(() =>
        createPetstore({ storage: { ...adapter, layer: Layer.merge(layer, Logger.layer([])) }, rules })
      ),
      (opened) => Effect.promise(() => opened.close())
    )
    const closed = new AbortController()
    const port = yield* listen(petstore)
    yield* Effect.addFinalizer(() => Effect.sync(() => closed.abort()))
    return { petstore, key, closed: closed.signal, baseUrl: `http://127.0.0.1:${port}/v1` }
  })

type Storages = Readonly<Record<"memory" | "SQLite" | "PostgreSQL", Effect.Effect<StorageAdapter, never, Scope.Scope>>>

/** Each kind of storage, empty, for the tests of the file that calls this: the database goes with the file. */
export const storagesOfFile = (): Storages => ({
  memory: Effect.sync(() => memory()),
  SQLite: Effect.map(temporaryFolder, (folder) => sqlite(join(folder, "petstore.db"))),
  PostgreSQL: testStores().freshAdapter
})
