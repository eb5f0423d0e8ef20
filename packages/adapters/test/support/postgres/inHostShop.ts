import { afterAll, assert } from "@effect/vitest"
import pg from "pg"
import type { SqlTransaction } from "../../../src/sql/SqlTransaction.ts"
import { statementsOf } from "../HostTrials.ts"
import { type HostStore, HostStores } from "./hostStore.ts"

/** A connection of the host application. */
export const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url)
  client.on("error", () => {})
  await client.connect()
  return client
}

/** What happens on a furnished store, with two clients of the host. */
type InHostShop = (shop: HostStore, client: pg.Client, other: pg.Client) => Promise<void>

/** For the tests of one file: `inShop` runs a body on a store of `stores`, and verifies it afterwards. */
export const hostShops = () => {
  const stores = new HostStores()
  afterAll(() => stores.close(), 60_000)
  const inShop = (body: InHostShop) => async () => {
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
  return { stores, inShop }
}

/** Orders one unit of a pet in a transaction. */
export const place = ({ petstore }: HostStore, transaction: object, petId = 1) =>
  petstore.orders.place({ petId, quantity: 1 }, { transaction })

type Rows = SqlTransaction["rows"]

/** A transaction of a client whose library runs its statements in its own way. `place`: the number of the statement. */
export const through = (
  client: pg.Client,
  run: (statement: () => ReturnType<Rows>, place: number) => ReturnType<Rows>
): SqlTransaction => {
  const joined = statementsOf(client)
  let statements = 0
  const rows: Rows = (statement, values) => run(() => joined.rows(statement, values), statements++)
  return { identity: client, rows, run: rows }
}

/** A transaction of a client in which something happens before the statement of this number. */
export const before = (client: pg.Client, place: number, act: () => Promise<unknown>): SqlTransaction =>
  through(client, async (statement, number) => {
    if (number === place) await act()
    return statement()
  })

/** How many statements a call takes in a transaction of a client. */
export const countStatements = async (client: pg.Client, call: (transaction: SqlTransaction) => Promise<unknown>) => {
  let count = 0
  const counted = through(client, (statement) => {
    count++
    return statement()
  })
  await call(counted)
  return count
}

/** How many units of the first pet are reserved. */
export const reserved = async ({ petstore }: HostStore): Promise<number | undefined> =>
  (await petstore.inventory.get(1)).reserved
