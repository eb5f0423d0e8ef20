import assert from "node:assert/strict"
import type { Client } from "./Client.ts"

/** What a client knows of one order. */
export interface Placed {
  readonly id: number
  readonly petId: number
  /** Whether the server acknowledged that it is complete. */
  complete: boolean
}

/** The outcomes of all orders. */
export interface Outcome {
  readonly placed: ReadonlyArray<Placed>
  /** Orders that were rejected because nothing was left. */
  readonly refused: number
  /** Orders whose first response was lost, and that a retry acknowledged. */
  readonly replayed: number
}

const refusals: ReadonlySet<unknown> = new Set(["insufficient_stock", "pet_not_available"])

const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined

/**
 * Places orders of one unit each for these pets in turn, and completes each at once, from several clients at a time.
 * Calls `onPlaced` with the number of acknowledged orders so far.
 */
export const placeOrders = async (
  client: Client,
  pets: ReadonlyArray<number>,
  count: number,
  clients: number,
  onPlaced: (acknowledged: number) => void
): Promise<Outcome> => {
  const placed: Array<Placed> = []
  let refused = 0
  let replayed = 0
  let next = 0

  const placeOne = async (number: number): Promise<void> => {
    const petId = pets[number % pets.length] ?? 0
    const key = { "idempotency-key": `demo-${number}` }
    const response = await client.send("POST", "/store/orders", { petId, quantity: 1 }, key)
    if (response.status === 409) {
      assert.ok(refusals.has(field(response.body, "code")), JSON.stringify(response.body))
      refused++
      return
    }
    const id = field(response.body, "id")
    assert.ok(response.status === 201 && typeof id === "number", `${response.status} ${JSON.stringify(response.body)}`)
    if (response.headers.get("idempotent-replayed") === "true") replayed++
    const order = { id, petId, complete: false }
    placed.push(order)
    onPlaced(placed.length)
    const completed = await client.send("PATCH", `/store/orders/${id}`, { complete: true })
    assert.equal(completed.status, 200, JSON.stringify(completed.body))
    order.complete = true
  }

  const work = async (): Promise<void> => {
    while (next < count) await placeOne(next++)
  }
  await Promise.all(Array.from({ length: clients }, work))
  return { placed, refused, replayed }
}
