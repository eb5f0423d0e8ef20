import { setTimeout as sleep } from "node:timers/promises"
import type { Petstore } from "@petstore/core"

/** An attempt that failed. */
interface Failure {
  readonly code: string
  /** Milliseconds that it took. */
  readonly took: number
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : String(error)

/** Callers that order one pet again and again, each order under a key that it keeps until there is a result. */
export class Orders {
  /** The ids of acknowledged orders by their key. */
  readonly acknowledged = new Map<string, number>()
  readonly failures: Array<Failure> = []
  /** The longest that an attempt took, in milliseconds. */
  longest = 0
  private readonly petstore: Petstore
  private readonly petId: number
  private readonly stopping = new AbortController()
  private readonly calling: Promise<unknown>

  constructor(petstore: Petstore, petId: number, callers: number) {
    this.petstore = petstore
    this.petId = petId
    this.calling = Promise.all(Array.from({ length: callers }, (_, caller) => this.call(caller)))
  }

  /** Waits until so many more orders are acknowledged, of attempts that began after this moment. */
  async more(count: number): Promise<void> {
    const { size } = this.acknowledged
    // Every caller has at most one attempt under way.
    while (this.acknowledged.size < size + count) await sleep(5)
  }

  /** Lets every caller finish the order that it has begun. */
  async settle(): Promise<void> {
    this.stopping.abort()
    await this.calling
  }

  /** The codes of failed attempts. */
  get codes(): ReadonlySet<string> {
    return new Set(this.failures.map(({ code }) => code))
  }

  private async call(caller: number): Promise<void> {
    for (let number = 0; !this.stopping.signal.aborted; number++) {
      const key = `caller-${caller}-order-${number}`
      for (let id: number | undefined; id === undefined; ) {
        id = await this.attempt(key)
        if (id !== undefined) this.acknowledged.set(key, id)
      }
    }
  }

  private async attempt(key: string): Promise<number | undefined> {
    const start = performance.now()
    try {
      return (await this.petstore.orders.place({ petId: this.petId, quantity: 1 }, { idempotencyKey: key })).id
    } catch (error) {
      this.failures.push({ code: codeOf(error), took: performance.now() - start })
      await sleep(20)
      return undefined
    } finally {
      this.longest = Math.max(this.longest, performance.now() - start)
    }
  }
}
