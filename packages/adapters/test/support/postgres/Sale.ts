import type { Petstore } from "@petstore/core"

/** What a caller may meet while its server fails; anything else is a defect, and ends the sale. */
const transient = ["storage_busy", "storage_unavailable", "storage_full", "commit_unknown"]

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Sells a pet with several callers until it is stopped; a key makes each order exactly one, whatever happens. */
export class Sale {
  /** The orders that were confirmed. */
  readonly placed = new Set<number>()
  /** The orders that were confirmed for two keys: never any. */
  readonly doubled = new Set<number>()
  /** The codes with which calls failed. */
  readonly failures = new Set<string>()
  private isOver = false
  private readonly petstore: Petstore
  private readonly petId: number
  private readonly sellers: Promise<unknown>

  constructor(petstore: Petstore, petId: number, callers = 8) {
    this.petstore = petstore
    this.petId = petId
    this.sellers = Promise.all(Array.from({ length: callers }, (_, caller) => this.sell(caller)))
    this.sellers.catch(() => {})
  }

  private async sell(caller: number): Promise<void> {
    for (let number = 0; !this.isOver; ) {
      try {
        const options = { idempotencyKey: `${caller}-${number}` }
        const { id } = await this.petstore.orders.place({ petId: this.petId }, options)
        if (this.placed.has(id)) this.doubled.add(id)
        this.placed.add(id)
        number++
      } catch (error) {
        const code = error instanceof Error && "code" in error ? String(error.code) : String(error)
        this.failures.add(code)
        if (!transient.includes(code)) throw error
        // A call that fails at once must not keep the event loop from everybody else.
        await sleep(20)
      }
    }
  }

  /** Waits until so many more orders are confirmed. */
  async more(count: number): Promise<void> {
    const goal = this.placed.size + count
    const enough = async () => {
      while (this.placed.size < goal && !this.isOver) await sleep(5)
    }
    await Promise.race([enough(), this.sellers])
  }

  async stop(): Promise<void> {
    this.isOver = true
    await this.sellers
  }
}
