import { createPetstore, type Petstore, type PetstoreOptions } from "@petstore/core"
import { Storage, type StorageAdapter, type StorageError } from "@petstore/core/ports"
import type { EmbeddedFixture, StorageFixture, Store } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { hasher } from "../../../src/hasher.ts"
import type { PostgresOptions } from "../../../src/postgres/PostgresOptions.ts"
import { openPostgresStore } from "../../../src/postgres/postgres.ts"
import { quoted } from "../../../src/postgres/statements/dialect.ts"
import { type HostLibrary, openTransaction } from "../HostLibrary.ts"
import { type HostLibraryName, openHostLibrary } from "./hostLibraries.ts"
import { type Faults, SharedConnections } from "./SharedConnections.ts"
import { addsIndexes, textToEmpty } from "./textToEmpty.ts"

type Options = Omit<PostgresOptions, "url" | "pool" | "schema" | "ssl" | "connectTimeout">

interface Database {
  readonly url: string
  readonly connections: SharedConnections
}

interface Opened {
  readonly schema: string
  readonly faults: Faults
}

/**
 * Opens stores on empty schemas of one database. A schema is emptied after its use and used again, and so are connections:
 * that is many times faster than a database for each test.
 */
export class FreshStores {
  private readonly url: Effect.Effect<string, never, Scope.Scope>
  private readonly options: Options
  private readonly scope = Scope.makeUnsafe()
  private readonly opened = new WeakMap<Store | Petstore, Opened>()
  private readonly free: Array<string> = []
  /** The statements that empty each schema. */
  private readonly emptying = new Map<string, string>()
  /** Schemas with indexes that only some petstores want: other ones must not find them. */
  private readonly indexed = new Set<string>()
  private database: Promise<Database> | undefined
  private made = 0

  /** `url`: of an empty database, which is opened with the first store. */
  constructor(url: Effect.Effect<string, never, Scope.Scope>, options: Options = {}) {
    this.url = url
    this.options = options
  }

  /** Closes the connections and the database. */
  close(): Promise<void> {
    return Effect.runPromise(Scope.close(this.scope, Exit.void))
  }

  /** The URL of the database. */
  readonly databaseUrl: Effect.Effect<string> = Effect.suspend(() => Effect.map(this.connected, ({ url }) => url))

  /** A library on the database, until that is closed: a connection that has run a call before runs the next one faster. */
  library(name: HostLibraryName): Effect.Effect<HostLibrary> {
    const open = Effect.flatMap(this.databaseUrl, (url) => openHostLibrary(name, url))
    return Effect.runSync(Effect.cached(Effect.provideService(open, Scope.Scope, this.scope)))
  }

  /** The name of a schema that is empty or does not exist yet. */
  readonly schema: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
    // A statement that does not quote the name fails.
    Effect.sync(() => this.free.pop() ?? `Shop's "${++this.made}"`),
    (schema) => Effect.promise(() => this.empty(schema))
  )

  /** A store on a schema. */
  readonly openOn = (schema: string): Effect.Effect<Store, StorageError, Scope.Scope> =>
    Effect.gen({ self: this }, function* () {
      const { connections, url } = yield* this.connected
      const faults = { commit: false, write: false }
      const store = yield* openPostgresStore(
        { ...this.options, url, schema },
        Effect.succeed(connections.source(faults))
      )
      this.opened.set(store, { schema, faults })
      return store
    })

  /** An adapter for an empty schema. */
  readonly freshAdapter: Effect.Effect<StorageAdapter, never, Scope.Scope> = Effect.suspend(() =>
    Effect.map(this.schema, (schema) => this.adapter(schema))
  )

  /** An adapter for a schema. */
  private adapter(schema: string): StorageAdapter {
    return { name: "postgres", hasher, layer: Layer.effect(Storage, this.openOn(schema)) }
  }

  /** For the contract of storages, with a host application that uses this library. */
  storage(library: HostLibraryName = "pg"): StorageFixture {
    const host = this.library(library)
    const arm = (fault: keyof Faults) => (store: Store) =>
      Effect.sync(() => {
        this.of(store).faults[fault] = true
      })
    return {
      open: Effect.flatMap(this.schema, this.openOn),
      openAnother: (store) => Effect.suspend(() => this.openOn(this.of(store).schema)),
      writers: "many",
      faults: {
        failNextCommit: arm("commit"),
        loseNextTransaction: arm("write")
      },
      host: {
        begin: () => Effect.flatMap(host, openTransaction),
        openElsewhere: (store) =>
          Effect.flatMap(this.url, (url) => openPostgresStore({ ...this.options, url, schema: this.of(store).schema }))
      }
    }
  }

  /** For the contracts of petstores. */
  get petstores(): EmbeddedFixture & { readonly openAnother: NonNullable<EmbeddedFixture["openAnother"]> } {
    return {
      open: Effect.flatMap(this.schema, (schema) => this.petstore(schema)),
      openWith: (options) => Effect.flatMap(this.schema, (schema) => this.petstore(schema, options)),
      openAnother: (petstore, options) => Effect.suspend(() => this.petstore(this.of(petstore).schema, options))
    }
  }

  /** A petstore on a schema. */
  petstore(schema: string, options: PetstoreOptions = {}): Effect.Effect<Petstore, never, Scope.Scope> {
    if (addsIndexes(options)) this.indexed.add(schema)
    return Effect.acquireRelease(
      Effect.promise(async () => {
        const petstore = await createPetstore({ ...options, storage: this.adapter(schema) })
        this.opened.set(petstore, { schema, faults: { commit: false, write: false } })
        return petstore
      }),
      (petstore) => Effect.promise(() => petstore.close())
    )
  }

  private get connected(): Effect.Effect<Database> {
    return Effect.promise(
      () => (this.database ??= Effect.runPromise(Effect.provideService(this.connect, Scope.Scope, this.scope)))
    )
  }

  private get connect(): Effect.Effect<Database, StorageError, Scope.Scope> {
    return Effect.flatMap(this.url, (url) =>
      Effect.map(SharedConnections.open(url, this.options.prepare ?? true), (connections) => ({ url, connections }))
    )
  }

  private of(opened: Store | Petstore): Opened {
    const known = this.opened.get(opened)
    if (known === undefined) throw new Error("The store is not of this fixture")
    return known
  }

  private async empty(schema: string): Promise<void> {
    const { connections } = await Effect.runPromise(this.connected)
    const drop = () => connections.run(`DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`)
    if (this.indexed.has(schema)) return void (await drop())
    const text = this.emptying.get(schema) ?? (await textToEmpty((query) => connections.run(query), schema))
    this.emptying.set(schema, text)
    try {
      await connections.run(text)
      this.free.push(schema)
    } catch {
      // Only a superuser can remove rows that the triggers keep.
      await drop()
    }
  }
}
