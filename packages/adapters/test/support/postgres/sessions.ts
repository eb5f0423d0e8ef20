import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"
import { query } from "./testDatabase.ts"

/** A session of another program on a database. It ends with the scope, and its transaction is rolled back. */
export const session = (url: string): Effect.Effect<pg.Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client(url)
      // A test may end it on the server.
      client.on("error", () => {})
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** Completes when a session waits for a lock, or when its statement has ended. */
export const waitsOrEnds = async (url: string, client: pg.Client, statement: Promise<unknown>): Promise<void> => {
  let ended = false
  const end = () => {
    ended = true
  }
  statement.then(end, end)
  const { processID } = client as pg.Client & { readonly processID: number }
  const waits = `SELECT 1 FROM pg_stat_activity WHERE pid = ${processID} AND wait_event_type = 'Lock'`
  while (!ended && (await query(url, waits)).length === 0) {
    // The query takes its time.
  }
}
