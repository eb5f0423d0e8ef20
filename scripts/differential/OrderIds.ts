import type { Command } from "@petstore/testing"
import type { Outcome } from "./calls.ts"

/** An id that no order has. */
const missing = 1_000_000

const idsIn = (result: unknown): ReadonlyArray<number> =>
  Array.isArray(result) ? result.flatMap(idsIn) : [Number(Reflect.get(Object(result), "id"))]

/**
 * The orders of a petstore by the order in which they were placed: 1, 2, 3... A rejected batch of orders leaves a gap between ids
 * on some stores and not on others, which is promised by none.
 */
export class OrderIds {
  private readonly ids: Array<number> = []

  /** The command with the id of the order that it means. */
  meant(command: Command): Command {
    if (command.type !== "updateOrder" && command.type !== "cancelOrder") return command
    return { ...command, orderId: this.ids[command.orderId - 1] ?? missing + command.orderId }
  }

  /** The outcome of a command, with what every way has in common. */
  seen({ isDone, json }: Outcome, command?: Command): string {
    if (isDone && (command?.type === "placeOrder" || command?.type === "placeOrders")) {
      this.ids.push(...idsIn(JSON.parse(json)))
    }
    const place = (id: unknown) => this.ids.indexOf(Number(id)) + 1 || id
    const common = (name: string, value: unknown, holder: object): unknown => {
      if (name === "orderId" || (name === "id" && "complete" in holder)) return place(value)
      if (name === "data" && /^order\./.test(String(Reflect.get(holder, "type"))) && !("complete" in Object(value))) {
        return { ...Object(value), id: place(Reflect.get(Object(value), "id")) }
      }
      if (typeof value !== "string") return value
      if (name === "subject") return value.replace(/^orders\/(\d+)$/, (_, id) => `orders/${place(id)}`)
      if (name === "message") return value.replace(/\border (\d+)/i, (_, id) => `order ${place(id)}`)
      // Who did it depends on the way, and an event that is rolled back has used an id.
      return name === "actor" || value.startsWith("evt_") ? undefined : value
    }
    return JSON.stringify(
      JSON.parse(json, function (this: object, name: string, value: unknown) {
        return common(name, value, this)
      })
    )
  }
}
