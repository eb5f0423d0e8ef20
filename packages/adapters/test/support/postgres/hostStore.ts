import { postgres } from "@petstore/adapters/postgres"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import pg from "pg"
import { furnish } from "../furnish.ts"
import type { HostLibrary } from "../HostLibrary.ts"
import { type HostLibraryName, openHostLibrary } from "./hostLibraries.ts"
import { testDatabase, testDatabaseOf } from "./testDatabase.ts"

/** A petstore in a database of its own, and what a host application has there. */
export interface HostStore {
  readonly url: string
  readonly petstore: Petstore
  readonly library: HostLibrary
  /** A connection that looks at what is committed. */
  readonly client: pg.Client
  readonly close: () => Promise<void>
}

/** The databases of one test file. */
export class HostStores {
  private readonly scope = Scope.makeUnsafe()
  private made: Promise<string> | undefined

  /** Opens a copy of the furnished database. */
  async open(name: HostLibraryName, max?: number): Promise<HostStore> {
    this.made ??= this.make()
    const template = await this.made
    const scope = Scope.makeUnsafe()
    const run = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
    const url = await run(testDatabaseOf({ template }))
    const library = await run(openHostLibrary(name, url, max))
    const client = new pg.Client(url)
    client.on("error", () => {})
    await client.connect()
    const petstore = await createPetstore({ storage: postgres({ url, maxConnections: 4 }) })
    const close = async (): Promise<void> => {
      await petstore.close()
      await client.end()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
    return { url, petstore, library, client, close }
  }

  close(): Promise<void> {
    return Effect.runPromise(Scope.close(this.scope, Exit.void))
  }

  private async make(): Promise<string> {
    const url = await Effect.runPromise(Scope.provide(testDatabase, this.scope))
    const petstore = await createPetstore({ storage: postgres({ url }) })
    await furnish(petstore)
    // Gives pending events their numbers.
    await petstore.verify()
    await petstore.close()
    return url
  }
}

const withIds = ["categories", "pets", "orders", "accounts", "api_keys", "webhooks", "deliveries"]
const tables = [...withIds, "movements", "messages", "idempotency"]

const selectAll = tables
  .map((table) => `SELECT '${table}', (SELECT json_agg(r ORDER BY r::text) FROM petstore.petstore_${table} AS r)::text`)
  .join(" UNION ALL ")

const selectEvents = `SELECT type, subject, data FROM petstore.petstore_events
  UNION ALL SELECT type, subject, data FROM petstore.petstore_pending ORDER BY type, subject, data`

const selectMarkers = "SELECT * FROM petstore.petstore_host_calls"

/** Everything that is committed. */
export const rowsOf = async ({ client }: HostStore): Promise<string> => {
  const results = [await client.query(selectAll), await client.query(selectEvents), await client.query(selectMarkers)]
  return JSON.stringify(results.map(({ rows }) => rows))
}

const resetIds = `SELECT ${withIds
  .map(
    (table) =>
      `setval(pg_get_serial_sequence('petstore.petstore_${table}', 'id'), (SELECT max(id) FROM petstore.petstore_${table}))`
  )
  .join(", ")}`

/** Lets the next rows have the ids after the committed ones: calls without effect have taken some. */
export const reuseIds = ({ client }: HostStore): Promise<unknown> => client.query(resetIds)
