import { setTimeout as sleep } from "node:timers/promises"
import type { PetstoreApi } from "@petstore/core"
import type { AppServer } from "./AppServer.ts"
import { clientOf } from "./clientOf.ts"
import type { Journal, Wish } from "./Journal.ts"
import { choosePet, type Shop } from "./shop.ts"

const refusals: ReadonlySet<string> = new Set(["insufficient_stock", "pet_not_available"])

/** Failures after which a caller sends the same request with the same key again. */
const retried: ReadonlySet<string> = new Set([
  "storage_busy",
  "storage_unavailable",
  "commit_unknown",
  "idempotency_in_progress",
  "overloaded",
  "request_timeout"
])

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : String(error)

/** A client of one server that places one order after the other, each under a key that it keeps until it has a result. */
export class Caller {
  private readonly name: string
  private readonly server: AppServer
  private readonly shop: Shop
  private readonly journal: Journal
  private readonly random: () => number
  private readonly api: PetstoreApi

  constructor(name: string, server: AppServer, shop: Shop, journal: Journal, random: () => number) {
    this.name = name
    this.server = server
    this.shop = shop
    this.journal = journal
    this.random = random
    this.api = clientOf(server)
  }

  /** Places orders until `stop` is aborted; gives an order up that has no result when `end` is aborted. */
  async run(stop: AbortSignal, end: AbortSignal): Promise<void> {
    for (let number = 0; !stop.aborted; number++) {
      const { id: petId } = choosePet(this.shop, this.random())
      await this.settle({ key: `${this.name}-${number}`, petId, server: this.server }, end)
    }
  }

  private async settle(wish: Wish, end: AbortSignal): Promise<void> {
    const { acknowledged, completed, refused, unsettled } = this.journal
    let sentAt = 0
    const placing = () => {
      sentAt = performance.now()
      return this.api.orders.place({ petId: wish.petId, quantity: 1 }, { idempotencyKey: wish.key })
    }
    const order = await this.untilSettled(placing, end)
    if (order === "unsettled") unsettled.push(wish)
    else if (order === "refused") refused.push(wish)
    else {
      acknowledged.push({ ...wish, orderId: order.id, sentAt, at: performance.now() })
      if (this.random() >= 0.25) return
      const complete = await this.untilSettled(() => this.api.orders.complete(order.id), end)
      if (complete === "unsettled") unsettled.push(wish)
      else if (complete !== "refused") completed.add(order.id)
    }
  }

  /** Sends a request until it succeeds or is refused for good. */
  private async untilSettled<A>(send: () => Promise<A>, end: AbortSignal): Promise<A | "refused" | "unsettled"> {
    while (!end.aborted) {
      const start = performance.now()
      try {
        return await send()
      } catch (error) {
        const code = codeOf(error)
        if (refusals.has(code)) return "refused"
        this.journal.fail(this.server, code, String(error))
        if (!retried.has(code)) this.journal.unexpected.push(`${this.name}: ${error}`)
        await sleep(50 + 100 * this.random())
      } finally {
        this.journal.attempts.push(performance.now() - start)
      }
    }
    return "unsettled"
  }
}
