// Loses the connection of the host application at each step of a transaction with an order in it, and writes what came of it:
// the outcome, and how many listeners a client has that does not listen to errors itself. The pools of libraries listen as the
// guide shows it. (postgres.js ends the process itself: it writes to the socket that it has lost.)

import { createPetstore, PetstoreError } from "@petstore/core"
import pg from "pg"
import { sqlTransactionOf } from "../../src/postgres/host/HostClient.ts"
import { postgres } from "../../src/postgres/index.ts"
import type { SqlTransaction } from "../../src/sql/SqlTransaction.ts"
import { hostLibraries } from "../support/postgres/hostLibraries.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , url = ""] = process.argv

const admin = new pg.Client(url)
await admin.connect()
const petstore = await createPetstore({ storage: postgres({ url, maxConnections: 2 }) })
const { id: categoryId } = await petstore.categories.create({ name: "Rabbits" })
const { id: petId } = await petstore.pets.create({ name: "Flopsy", categoryId })
await petstore.inventory.set(petId, 1_000)

const suicide = "SELECT pg_terminate_backend(pg_backend_pid())::text AS result"

const terminate = async (pid: unknown): Promise<void> => {
  await admin.query("SELECT pg_terminate_backend($1)", [pid])
  const isThere = "SELECT FROM pg_stat_activity WHERE pid = $1"
  while ((await admin.query(isThere, [pid])).rowCount !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** The transaction, in which something else is done before a statement, or in its place. */
const acting = (
  { identity, rows }: SqlTransaction,
  act: (statement: string, place: number) => Promise<string>
): SqlTransaction => {
  let place = 0
  const acted: SqlTransaction["rows"] = async (statement, values) => {
    const text = await act(statement, place++)
    return rows(text, text === statement ? values : [])
  }
  return { identity, rows: acted, run: acted }
}

const codeOf = (error: unknown): string => (error instanceof PetstoreError ? error.code : "rejected by the library")

const place = (transaction: SqlTransaction): Promise<unknown> => petstore.orders.place({ petId }, { transaction })

const joined = (value: unknown): SqlTransaction => {
  const transaction = sqlTransactionOf(value)
  if (typeof transaction === "string") throw new Error(transaction)
  return transaction
}

/** Loses the connection at the step of this number. Returns false if there is none. */
const loseInLibrary = async (name: keyof typeof hostLibraries, at: number): Promise<boolean> => {
  const library = hostLibraries[name](url, 1)
  let step = 0
  const host = await library.begin()
  const [row] = await host.run("SELECT pg_backend_pid() AS pid")
  const next = async (): Promise<void> => {
    if (step++ === at) await terminate(row?.pid)
  }
  let outcome = "committed"
  try {
    await next()
    await place(
      acting(joined(host.transaction), async (statement) => {
        await next()
        return statement
      })
    )
    await next()
    await host.run("SELECT 'an invoice'")
    await next()
    await host.commit()
  } catch (error) {
    outcome = codeOf(error)
    await host.rollback().catch(() => {})
  }
  await library.close()
  writeLine(`${name} ${at} ${outcome}`)
  return outcome !== "committed"
}

/** Loses the connection of a client without a listener at the statement of this number. Returns false if there is none. */
const loseInCall = async (how: "before" | "during", at: number): Promise<boolean> => {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid")
  await client.query("BEGIN")
  // Not `once` of Node.js, which would listen to errors too.
  const ended = new Promise<void>((resolve) => void client.once("end", resolve))
  const act = async (statement: string, place: number): Promise<string> => {
    if (place !== at) return statement
    if (how === "during") return suicide
    await terminate(rows[0].pid)
    return statement
  }
  let outcome = "committed"
  try {
    await place(acting(joined(client), act))
    await client.query("COMMIT")
    await client.end()
  } catch (error) {
    outcome = codeOf(error)
  }
  await ended
  writeLine(`${how} ${at} ${outcome} ${client.listenerCount("error")}`)
  return outcome !== "committed"
}

for (const how of ["before", "during"] as const) for (let at = 0; await loseInCall(how, at); at++);
for (const name of ["pg", "Kysely", "Drizzle"] as const) for (let at = 0; await loseInLibrary(name, at); at++);
writeLine(String((await petstore.verify()).ok))
await petstore.close()
await admin.end()
