import assert from "node:assert/strict"
import type { Client } from "./Client.ts"

/** What a client was told of one order. */
export interface Placed {
  readonly id: number
  readonly petId: number
  /** Whether the server acknowledged that it is complete. */
  complete: boolean
}

/** What became of all orders. */
export interface Outcome {
  readonly placed: ReadonlyArray<Placed>
  /** Orders that were refused because nothing was left. */
  readonly refused: number
  /** Orders whose acknowledgement was lost, and came with the retry. */
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
    const answer = await client.send("POST", "/store/orders", { petId, quantity: 1 }, key)
    if (answer.status === 409) {
      assert.ok(refusals.has(field(answer.body, "code")), JSON.stringify(answer.body))
      refused++
      return
    }
    const id = field(answer.body, "id")
    assert.ok(answer.status === 201 && typeof id === "number", `${answer.status} ${JSON.stringify(answer.body)}`)
    if (answer.headers.get("idempotent-replayed") === "true") replayed++
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
