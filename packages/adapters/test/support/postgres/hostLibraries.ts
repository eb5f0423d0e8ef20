import { drizzle as bridgeDrizzle } from "@petstore/adapters/drizzle"
import { sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Kysely, PostgresDialect } from "kysely"
import postgresJs from "postgres"
import { beginKysely, type HostLibrary, untilSettled } from "../HostLibrary.ts"
import { hostPool } from "./hostPool.ts"

const withPg = (url: string, max: number): HostLibrary => {
  const pool = hostPool({ connectionString: url, max })
  return {
    begin: async () => {
      const client = await pool.connect()
      await client.query("BEGIN")
      const end = async (text: string): Promise<void> => {
        try {
          const { command } = await client.query(text)
          if (command !== text) throw new Error(`${text} returned ${command}`)
        } finally {
          client.release()
        }
      }
      return {
        transaction: client,
        run: async (text) => (await client.query(text)).rows,
        commit: () => end("COMMIT"),
        rollback: () => end("ROLLBACK")
      }
    },
    close: () => pool.end()
  }
}

const withKysely = (url: string, max: number): HostLibrary => {
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool: hostPool({ connectionString: url, max }) }) })
  return { begin: () => beginKysely(db), close: () => db.destroy() }
}

const withDrizzle = (url: string, max: number): HostLibrary => {
  const pool = hostPool({ connectionString: url, max })
  const db = drizzle(pool)
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0]
  return {
    begin: () =>
      untilSettled<Tx>(
        (body) => db.transaction(body),
        (tx) => ({
          transaction: bridgeDrizzle(tx, sql),
          run: async (text) => (await tx.execute(sql.raw(text))).rows
        })
      ),
    close: () => pool.end()
  }
}

const withPostgresJs = (url: string, max: number): HostLibrary => {
  const db = postgresJs(url, { max, onnotice: () => {} })
  return {
    begin: () =>
      untilSettled<postgresJs.TransactionSql>(
        (body) => db.begin(body),
        (tx) => ({ transaction: tx, run: async (text) => tx.unsafe(text) })
      ),
    close: () => db.end()
  }
}

/** The libraries whose transactions calls can join. Each opens at most `max` connections. */
export const hostLibraries = {
  pg: withPg,
  Kysely: withKysely,
  Drizzle: withDrizzle,
  "postgres.js": withPostgresJs
} as const

export type HostLibraryName = keyof typeof hostLibraries

export const hostLibraryNames = Object.keys(hostLibraries) as ReadonlyArray<HostLibraryName>

/** Opens a library on a database; it closes with the scope. */
export const openHostLibrary = (
  name: HostLibraryName,
  url: string,
  max = 4
): Effect.Effect<HostLibrary, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => hostLibraries[name](url, max)),
    (library) => Effect.promise(() => library.close())
  )
