import { kysely } from "@petstore/adapters/kysely"
import type { HostTransaction } from "@petstore/core"
import type { OpenHostTransaction } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Kysely } from "kysely"
import type { Transact } from "./inHostTransactions.ts"

/** A transaction that is open in a library. */
export interface LibraryTransaction {
  readonly transaction: HostTransaction
  /** Runs a statement of the host application in it. */
  readonly run: (text: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** As the library ends it. Rejects if the library does. */
  readonly commit: () => Promise<unknown>
  readonly rollback: () => Promise<unknown>
}

/** Connections of a library to a database; each begin opens a transaction. */
export interface HostLibrary {
  readonly begin: () => Promise<LibraryTransaction>
  readonly close: () => Promise<void>
}

const changedItsMind = new Error("The host changed its mind")

/** The transaction of a library that ends it when its function settles. */
export const untilSettled = async <Tx>(
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

/** Begins a transaction of Kysely on any database. */
export const beginKysely = async <Tables>(db: Kysely<Tables>) => {
  const trx = await db.startTransaction().execute()
  return {
    transaction: kysely(trx),
    run: async (text: string) => {
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
}

/** Begins a transaction, which is over with the scope. */
export const openTransaction = (library: HostLibrary): Effect.Effect<OpenHostTransaction, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => library.begin()),
      ({ rollback }) => Effect.promise(() => rollback().catch(() => {}))
    ),
    ({ commit, rollback, transaction }) => ({
      transaction,
      commit: Effect.promise(commit),
      rollback: Effect.promise(rollback)
    })
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
