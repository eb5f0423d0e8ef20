import { assert } from "@effect/vitest"
import pg from "pg"
import { sqlTransactionOf } from "../../../src/postgres/host/hostClients.ts"
import type { SqlTransaction } from "../../../src/sql/SqlTransaction.ts"
import type { HostStore, HostStores } from "./hostStore.ts"

/** A connection of the host application. */
export const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url)
  client.on("error", () => {})
  await client.connect()
  return client
}

/** Runs a body on a furnished store and two clients of the host, and verifies the store afterwards. */
export const inHostShop =
  (stores: HostStores, body: (shop: HostStore, client: pg.Client, other: pg.Client) => Promise<void>) => async () => {
    const shop = await stores.open("pg")
    const clients = [await connect(shop.url), await connect(shop.url)] as const
    const end = () => Promise.all(clients.map((client) => client.end().catch(() => {})))
    try {
      await body(shop, ...clients)
      await end()
      assert.isTrue((await shop.petstore.verify()).ok)
    } finally {
      await end()
      await shop.close()
    }
  }

/** Orders one unit of a pet in a transaction. */
export const place = ({ petstore }: HostStore, transaction: object, petId = 1) =>
  petstore.orders.place({ petId, quantity: 1 }, { transaction })

/** A transaction of a client in which something happens before the statement of this number. */
export const before = (client: pg.Client, place: number, act: () => Promise<unknown>): SqlTransaction => {
  const joined = sqlTransactionOf(client)
  if (typeof joined === "string") throw new Error(joined)
  let statements = 0
  const rows: SqlTransaction["rows"] = async (statement, values) => {
    if (statements++ === place) await act()
    return joined.rows(statement, values)
  }
  return { identity: client, rows, run: rows }
}

/** What a call was rejected with. */
export const rejection = async (call: Promise<unknown>): Promise<Error & { readonly code?: string }> => {
  const [outcome] = await Promise.allSettled([call])
  if (outcome.status === "fulfilled") return assert.fail("The call was done")
  return outcome.reason
}

export const rejectsUse = async (call: Promise<unknown>, message: RegExp): Promise<void> => {
  const error = await rejection(call)
  assert.instanceOf(error, TypeError)
  assert.match(error.message, message)
}

/** How many units of the first pet are reserved. */
export const reserved = async ({ petstore }: HostStore): Promise<number | undefined> =>
  (await petstore.inventory.get(1)).reserved
