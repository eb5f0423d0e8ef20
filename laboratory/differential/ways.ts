import { sqlite } from "@petstore/adapters/sqlite"
import { type HostTransaction, memory, type Petstore, type PetstoreError, type StorageAdapter } from "@petstore/core"
import { Petstore as EffectPetstore, runtimeOf } from "@petstore/core/effect"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import { testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { lmdb } from "../../examples/custom-adapter/lmdb.ts"
import { openFile } from "../../examples/synchronous-sql-adapter/nodeSqlite.ts"
import { synchronousSql } from "../../examples/synchronous-sql-adapter/synchronousSql.ts"
import { IdBlock } from "../../packages/adapters/src/postgres/commit/group/IdBlock.ts"
import { transactOn } from "../../packages/adapters/test/support/HostLibrary.ts"
import { openDatabase } from "../../packages/adapters/test/support/host.ts"
import type { Transact } from "../../packages/adapters/test/support/inHostTransactions.ts"
import { sqliteLibraries, transactInTurn } from "../../packages/adapters/test/support/libraries.ts"
import { migratedFile } from "../../packages/adapters/test/support/migratedFile.ts"
import { pgliteFixtures } from "../../packages/adapters/test/support/pgliteFixtures.ts"
import { FreshStores } from "../../packages/adapters/test/support/postgres/FreshStores.ts"
import { hostLibraryNames, openHostLibrary } from "../../packages/adapters/test/support/postgres/hostLibraries.ts"
import { temporaryFileInMemory } from "../../packages/adapters/test/support/temporary.ts"
import { listening } from "../../packages/http/test/support/listening.ts"
import type { Call } from "./calls.ts"
import { callerOver } from "./rest.ts"

/** Makes a call, whose last argument is its options. */
export type Caller = (method: Call["method"], input: ReadonlyArray<unknown>) => Promise<unknown>

/** A petstore, in whichever way. */
export interface Opened {
  readonly call: Caller
  /** Makes calls in one transaction, which is rolled back if the body rejects. */
  readonly transaction?: <A>(body: (call: Caller) => Promise<A>) => Promise<A>
}

export type Way = Effect.Effect<Opened, never, Scope.Scope>

const invoke = (groups: object, name: Call["method"], input: ReadonlyArray<unknown>): unknown => {
  const [group = "", method = ""] = name.split(".")
  const methods: unknown = Reflect.get(groups, group)
  return Reflect.apply(Reflect.get(Object(methods), method), methods, input)
}

const callerOn =
  (petstore: object): Caller =>
  async (name, input) =>
    invoke(petstore, name, input)

/** Opens something that closes with the scope. */
const opened = <A extends { close(): unknown }>(open: () => A | Promise<A>) =>
  Effect.acquireRelease(
    Effect.promise(async () => open()),
    (resource) => Effect.promise(async () => resource.close())
  )

/** A petstore whose clock stands still, and whose random ids are the same each time. */
const petstoreOn = (storage: StorageAdapter) => opened(() => testPetstore({ storage, seed: 1 }))

const inMemory = Effect.suspend(() => petstoreOn(memory()))

const direct = (storage: Effect.Effect<StorageAdapter, never, Scope.Scope>, beforeTransaction = () => {}): Way =>
  Effect.map(Effect.flatMap(storage, petstoreOn), (petstore) => ({
    call: callerOn(petstore),
    transaction: (body) => {
      beforeTransaction()
      return petstore.transaction((tx) => body(callerOn(tx)))
    }
  }))

/** The blocks of ids that groups of commands on PostgreSQL have fetched. */
const fetched = new Set<IdBlock>()
const { add } = IdBlock.prototype
IdBlock.prototype.add = function (ids) {
  fetched.add(this)
  add.call(this, ids)
}

/** A transaction gets higher ids than those that groups have fetched for later calls, so lists would be in another order without this. */
const forgetFetchedIds = (): void => {
  for (const block of fetched) block.clear()
  fetched.clear()
}

const inFile = (adapter: (file: string) => StorageAdapter): Way => direct(Effect.map(temporaryFileInMemory, adapter))

const key = Redacted.make("admin-key-of-a-differential-test")
const baseUrl = "http://pets.example/v1"

const handler = Effect.map(inMemory, (petstore) => createHandler(petstore, { adminKey: key, rateLimit: "off" }))

const overSocket: Way = Effect.gen(function* () {
  const { node } = yield* handler
  const url = yield* listening(node)
  return { call: callerOn(createClient({ baseUrl: `${url}/v1`, key })) }
})

const effects: Way = Effect.gen(function* () {
  const runtime = runtimeOf(yield* inMemory)
  const petstore = yield* Effect.promise(() => runtime.runPromise(EffectPetstore))
  const callerIn =
    (groups: object): Caller =>
    (name, input) =>
      runtime.runPromise(invoke(groups, name, input) as Effect.Effect<unknown, PetstoreError>)
  return {
    call: callerIn(petstore),
    transaction: (body) =>
      runtime.runPromise(
        petstore.transaction((tx) => Effect.tryPromise({ try: () => body(callerIn(tx)), catch: (error) => error }))
      )
  }
})

/** Each call is in a transaction of the host application, or several are. Events are no part of it. */
const inHost = (petstore: Petstore, transact: Transact): Opened => {
  const callerIn =
    (transaction: HostTransaction): Caller =>
    async (name, input) =>
      invoke(petstore, name, [...input.slice(0, -1), { ...Object(input.at(-1)), transaction }])
  return {
    call: (name, input) =>
      /^events\.|\.test$/.test(name)
        ? callerOn(petstore)(name, input)
        : transact((transaction) => callerIn(transaction)(name, input)),
    transaction: (body) => transact((transaction) => body(callerIn(transaction)))
  }
}

const inSqliteHost = (library: string): Way =>
  Effect.gen(function* () {
    const database = yield* openDatabase(yield* migratedFile())
    return inHost(yield* petstoreOn(sqlite({ database })), transactInTurn(database, library))
  })

/** Ways with names. The first one is what the others are compared with. */
export type Ways = Readonly<Record<string, Way>>

const inSqliteHosts: Ways = Object.fromEntries(
  sqliteLibraries.map((name) => [`SQLite in transactions of ${name}`, inSqliteHost(name)])
)

/** The ways that need no server of a database. */
export const localWays: Ways = {
  memory: direct(Effect.sync(() => memory())),
  SQLite: direct(Effect.map(migratedFile(), (file) => sqlite(file))),
  "a synchronous SQL driver": inFile(synchronousSql(openFile)),
  LMDB: inFile(lmdb),
  "client over a handler": Effect.map(handler, ({ fetch }) => ({
    call: callerOn(createClient({ baseUrl, key, fetch: (url, init) => fetch(new Request(url, init)) }))
  })),
  "client over a socket": overSocket,
  "raw REST": Effect.map(handler, ({ fetch }) => ({ call: callerOver(baseUrl, Redacted.value(key), fetch) })),
  "Effect API": effects,
  ...inSqliteHosts
}

/** PGlite, and PostgreSQL on an empty database of a server. */
export const postgresWays = (url: string): Effect.Effect<Ways, never, Scope.Scope> =>
  Effect.gen(function* () {
    const alone = yield* opened(() => new FreshStores(Effect.succeed(url), { groups: 0 }))
    const inGroups = yield* opened(() => new FreshStores(Effect.succeed(url), { groups: 2 }))
    const fixtures = yield* opened(pgliteFixtures)
    const inHosts: Record<string, Way> = {}
    for (const name of hostLibraryNames) {
      const transact = transactOn(yield* openHostLibrary(name, url, 2))
      inHosts[`PostgreSQL in transactions of ${name}`] = Effect.map(
        Effect.flatMap(inGroups.freshAdapter, petstoreOn),
        (petstore) => inHost(petstore, transact)
      )
    }
    return {
      PGlite: direct(fixtures.adapter, forgetFetchedIds),
      "PostgreSQL, each commit alone": direct(alone.freshAdapter),
      "PostgreSQL in groups": direct(inGroups.freshAdapter, forgetFetchedIds),
      ...inHosts
    }
  })
