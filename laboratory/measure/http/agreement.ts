import { deepStrictEqual } from "node:assert"
import { DatabaseSync } from "node:sqlite"
import type { ServerProcess } from "./ServerProcess.ts"
import type { ShopFile } from "./Shop.ts"

const paths = [
  "/v1/pets/3",
  "/v1/store/pets/3",
  "/v1/store/pets/4",
  "/v1/pets?status=available&limit=20",
  "/v1/pets/999999"
]

/** What a response says. Of an error the status alone: its text is up to the server. */
const read = async (response: Response): Promise<unknown> => {
  const body: unknown = await response.json()
  const { headers, status } = response
  if (!response.ok) return status
  const names = [...headers.keys()].filter((name) => !["date", "connection", "keep-alive", "vary"].includes(name))
  const type = headers.get("content-type")?.split(";")[0]
  return { status, names, type, tag: headers.get("etag"), body }
}

/** The rows that the last order has written. Ids and times of events differ, but not how long they are stored. */
const rowsOf = (file: string): unknown => {
  using database = new DatabaseSync(file, { readOnly: true })
  return {
    order: database
      .prepare(
        "SELECT *, length(created_at) AS created_at, length(updated_at) AS updated_at FROM petstore_orders ORDER BY id DESC LIMIT 1"
      )
      .get(),
    pet: database.prepare("SELECT * FROM petstore_pets WHERE id = 3").get(),
    movement: database
      .prepare("SELECT *, length(at) AS at FROM petstore_movements WHERE pet_id = 3 ORDER BY seq DESC LIMIT 1")
      .get(),
    events: database
      .prepare("SELECT length(id) AS id, type, subject, data, trace FROM petstore_events ORDER BY seq DESC LIMIT 2")
      .all()
  }
}

/** Throws if contenders respond differently, or write other rows: then they do not do the same work. */
export const checkThatContendersAgree = async (
  servers: ReadonlyArray<ServerProcess>,
  { key }: ShopFile
): Promise<void> => {
  const responsesOf = ({ port }: ServerProcess) => {
    const url = `http://127.0.0.1:${port}`
    const headers = { authorization: `Bearer ${key}` }
    const order = { petId: 3, quantity: 1 }
    const otherKey = `${key.slice(0, -7)}${key.at(-7) === "0" ? "1" : "0"}000000`
    return Promise.all([
      ...paths.map((path) => fetch(url + path, { headers })),
      fetch(`${url}/v1/pets/3`),
      fetch(`${url}/v1/pets/3`, { headers: { authorization: `Bearer ${otherKey}` } }),
      fetch(`${url}/v1/store/orders`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(order)
      })
    ]).then((responses) => Promise.all(responses.map(read)))
  }
  const [expected, ...others] = await Promise.all(servers.map(responsesOf))
  for (const [index, found] of others.entries()) {
    deepStrictEqual(found, expected, `${servers[index + 1]?.name} responds differently from ${servers[0]?.name}`)
  }
  const [rows, ...otherRows] = servers.filter(({ name }) => name !== "before").map(({ file }) => rowsOf(file))
  for (const [index, found] of otherRows.entries()) {
    deepStrictEqual(found, rows, `${servers[index + 1]?.name} writes other rows than ${servers[0]?.name}`)
  }
}
