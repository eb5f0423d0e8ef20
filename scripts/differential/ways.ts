import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createSchema, dropSchema, postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { memory, type Petstore, type PetstoreError, type StorageAdapter } from "@petstore/core"
import { Petstore as EffectPetstore, runtimeOf } from "@petstore/core/effect"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import { testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { inHostTransactions, oneByOne } from "../../packages/adapters/test/support/inHostTransactions.ts"
import { temporaryFolder } from "../../packages/http/test/support/folder.ts"
import { type Caller, callerOn, callerOver, invoke } from "./calls.ts"

/** Opens a new petstore, and returns how calls are made on it. */
export type Way = Effect.Effect<Caller, never, Scope.Scope>

/** A petstore whose clock stands still, and whose random ids are the same each time. */
const petstoreOn = (storage: StorageAdapter) =>
  Effect.acquireRelease(
    Effect.promise(() => testPetstore({ storage, seed: 1 })),
    (petstore) => Effect.promise(() => petstore.close())
  )

const direct = (storage: () => StorageAdapter): Way =>
  Effect.map(
    Effect.suspend(() => petstoreOn(storage())),
    callerOn
  )

const key = Redacted.make("admin-key-of-a-differential-test")
const baseUrl = "http://pets.example/v1"

const handlerOn = (petstore: Petstore) => createHandler(petstore, { adminKey: key, rateLimit: "off" })

const handler = Effect.map(
  Effect.suspend(() => petstoreOn(memory())),
  handlerOn
)

const overHandler: Way = Effect.map(handler, ({ fetch }) =>
  callerOn(createClient({ baseUrl, key, fetch: (url, init) => fetch(new Request(url, init)) }))
)

const overRest: Way = Effect.map(handler, ({ fetch }) =>
  callerOver((method, path, body) =>
    fetch(
      new Request(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${Redacted.value(key)}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
  )
)

const overSocket: Way = Effect.gen(function* () {
  const { node } = yield* handler
  const server = yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const listening = createServer(node)
          listening.listen(0, "127.0.0.1", () => resolve(listening))
        })
    ),
    (listening) =>
      Effect.sync(() => {
        listening.close()
        listening.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return callerOn(createClient({ baseUrl: `http://127.0.0.1:${port}/v1`, key }))
})

const effects: Way = Effect.gen(function* () {
  const runtime = runtimeOf(yield* petstoreOn(memory()))
  const petstore = yield* Effect.promise(() => runtime.runPromise(EffectPetstore))
  return (call) => runtime.runPromise(invoke(petstore, call) as Effect.Effect<unknown, PetstoreError>)
})

const inTransactionsOfHost: Way = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const database = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(join(folder, "shop.db"))),
    (opened) => Effect.sync(() => opened.close())
  )
  const inTurn = oneByOne()
  const petstore = yield* petstoreOn(sqlite({ database }))
  const inside = inHostTransactions(petstore, (body) =>
    inTurn(async () => {
      database.exec("BEGIN IMMEDIATE")
      try {
        const result = await body(database)
        database.exec("COMMIT")
        return result
      } catch (error) {
        database.exec("ROLLBACK")
        throw error
      }
    })
  )
  return callerOn({ ...inside, events: petstore.events })
})

/** The ways that need no server of a database. The first one is what the others are compared with. */
export const localWays: Readonly<Record<string, Way>> = {
  memory: direct(() => memory()),
  SQLite: Effect.flatMap(temporaryFolder, (folder) => direct(() => sqlite(join(folder, "pets.db")))),
  "client over a handler": overHandler,
  "client over a socket": overSocket,
  "raw REST": overRest,
  "host transactions on SQLite": inTransactionsOfHost,
  "Effect API": effects
}

const owner = "npm run differential"

/** On PostgreSQL, each petstore in a schema of its own. */
export const postgresWays = (url: string): Readonly<Record<string, Way>> => {
  const inGroups = (groups: number): Way => {
    const options = { url, schema: "differential", groups }
    return Effect.acquireRelease(Effect.orDie(createSchema(options, owner)), () =>
      Effect.orDie(dropSchema(options, owner))
    ).pipe(Effect.andThen(direct(() => postgres(options))))
  }
  return { "PostgreSQL, each commit alone": inGroups(0), "PostgreSQL in groups": inGroups(2) }
}
