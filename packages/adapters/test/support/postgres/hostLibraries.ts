import { drizzle as bridgeDrizzle } from "@petstore/adapters/drizzle"
import { kysely as bridgeKysely } from "@petstore/adapters/kysely"
import type { HostTransaction } from "@petstore/core"
import { sql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ControlledTransaction, Kysely, PostgresDialect } from "kysely"
import postgresJs from "postgres"
import type { Transact } from "../inHostTransactions.ts"
import { hostPool } from "./hostPool.ts"

/** A transaction that is open in a library, on a connection of its own. */
export interface LibraryTransaction {
  readonly transaction: HostTransaction
  /** Runs a statement of the host application in it. */
  readonly run: (text: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** As the library ends it. Rejects if the library does. */
  readonly commit: () => Promise<unknown>
  readonly rollback: () => Promise<unknown>
}

/** Opens connections of a library to a database, at most `max`; each begin opens a transaction. */
export interface HostLibrary {
  readonly begin: () => Promise<LibraryTransaction>
  readonly close: () => Promise<void>
}

const changedItsMind = new Error("The host changed its mind")

/** The transaction of a library that ends it when its function settles. */
const untilSettled = async <Tx>(
  transaction: (body: (tx: Tx) => Promise<void>) => Promise<unknown>,
  toTransaction: (tx: Tx) => Pick<LibraryTransaction, "transaction" | "run">
): Promise<LibraryTransaction> => {
  const begun = Promise.withResolvers<Tx>()
  const end = Promise.withResolvers<void>()
  const ended = transaction((tx) => {
    begun.resolve(tx)
    return end.promise
  })
  ended.catch(begun.reject)
  return {
    ...toTransaction(await begun.promise),
    commit: () => {
      end.resolve()
      return ended
    },
    rollback: () => {
      end.reject(changedItsMind)
      return ended.catch((error: unknown) => {
        if (error !== changedItsMind) throw error
      })
    }
  }
}

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
  return {
    begin: async () => {
      const trx: ControlledTransaction<never> = await db.startTransaction().execute()
      return {
        transaction: bridgeKysely(trx),
        run: async (text) => {
          const query = { kind: "RawNode", sqlFragments: [text], parameters: [] } as const
          const compiled = { sql: text, parameters: [], query, queryId: { queryId: "host" } }
          return (await trx.executeQuery<Record<string, unknown>>(compiled)).rows
        },
        // Kysely keeps the connection until the transaction is rolled back.
        commit: async () => {
          try {
            await trx.commit().execute()
          } catch (error) {
            await trx.rollback().execute()
            throw error
          }
        },
        rollback: () => trx.rollback().execute()
      }
    },
    close: () => db.destroy()
  }
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

/** The libraries whose transactions calls can join. */
export const hostLibraries = {
  pg: withPg,
  Kysely: withKysely,
  Drizzle: withDrizzle,
  "postgres.js": withPostgresJs
} as const

export type HostLibraryName = keyof typeof hostLibraries

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

/** Runs bodies in transactions of a library. */
export const transactOn =
  (library: HostLibrary): Transact =>
  async (body) => {
    const { commit, rollback, transaction } = await library.begin()
    try {
      const result = await body(transaction)
      await commit()
      return result
    } catch (error) {
      await rollback()
      throw error
    }
  }
