import { deepStrictEqual } from "node:assert"
import { DatabaseSync } from "node:sqlite"
import type { Mix } from "../../load/requests.ts"
import type { RunningServer } from "./ServerProcess.ts"

interface Sent {
  readonly path: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

const order = { petId: 3, quantity: 1 }
const orders = "/v1/store/orders"

/** What is sent once before a mix is measured. */
const requestsOf: Readonly<Record<Mix, ReadonlyArray<Sent>>> = {
  pet: ["3", "4", "999999"].map((id) => ({ path: `/v1/store/pets/${id}` })),
  list: [{ path: "/v1/pets?status=available&limit=20" }],
  order: [{ path: orders, body: order }],
  orderOnce: [{ path: orders, body: order, headers: { "idempotency-key": "once" } }],
  orderReserved: [{ path: `${orders}?reserveFor=900000`, body: order }],
  batch: [{ path: `${orders}/batch`, body: { orders: [order, { petId: 5, quantity: 2 }, order] } }],
  mixed: [{ path: "/v1/store/pets/3" }, { path: orders, body: order }]
}

/** What a response says. Of an error the status alone: its text is up to the server. */
const read = async (response: Response): Promise<unknown> => {
  const body: unknown = await response.json()
  const { headers, status } = response
  if (!response.ok) return status
  const names = [...headers.keys()].filter((name) => !["date", "connection", "keep-alive", "vary"].includes(name))
  const type = headers.get("content-type")?.split(";")[0]
  return { status, names, type, tag: headers.get("etag"), body }
}

const rowsIn = (database: DatabaseSync) => {
  const all = (sql: string): unknown => database.prepare(sql).all()
  // Ids and times of events differ, but not how long they are stored.
  return {
    orders: all(
      "SELECT *, length(expires_at) AS expires_at, length(created_at) AS created_at, length(updated_at) AS updated_at FROM petstore_orders ORDER BY id"
    ),
    pets: all("SELECT * FROM petstore_pets WHERE id IN (3, 5)"),
    movements: all("SELECT *, length(at) AS at FROM petstore_movements WHERE order_id IS NOT NULL ORDER BY order_id"),
    events: all(
      "SELECT length(id) AS id, type, subject, data, trace FROM petstore_events WHERE seq > (SELECT max(seq) - 6 FROM petstore_events)"
    ),
    results: all(
      "SELECT *, length(fingerprint) AS fingerprint, length(created_at) AS created_at FROM petstore_idempotency"
    )
  }
}

/** Throws if servers respond differently, or write other rows: then they do not do the same work. */
export const checkAgreement = async (servers: ReadonlyArray<RunningServer>, mix: Mix, key: string): Promise<void> => {
  const otherKey = `${key.slice(0, -7)}${key.at(-7) === "0" ? "1" : "0"}000000`
  const responsesOf = async ({ port }: RunningServer) => {
    const responses: Array<unknown> = []
    const send = async ({ body, headers, path }: Sent, token: string): Promise<void> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: {
          ...headers,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          authorization: `Bearer ${token}`
        }
      })
      responses.push(await read(response))
    }
    for (const sent of requestsOf[mix]) for (const token of [key, otherKey]) await send(sent, token)
    return responses
  }
  const found = await Promise.all(
    servers.map(async (server) => {
      const responses = await responsesOf(server)
      using database = new DatabaseSync(server.file, { readOnly: true })
      return { responses, rows: rowsIn(database) }
    })
  )
  for (const [index, one] of found.entries())
    deepStrictEqual(one, found[0], `${servers[index]?.name} does other work than ${servers[0]?.name}`)
}
