import type { StorageBusy } from "@petstore/core/domain"
import type * as Effect from "effect/Effect"
import { Mutex, type MutexHolder } from "../../sql/Mutex.ts"

/** The calls in the transactions of one client, or of one transaction object of a library. */
export class CallQueue {
  private readonly mutex = new Mutex()
  private sent: Promise<unknown> | undefined
  private current: string | undefined

  /** Remembers the transaction in which a statement ran. */
  ran(transaction: string): void {
    this.current = transaction
  }

  /** Takes the turn of a call if no other one has it. */
  tryTurn(call: MutexHolder): boolean {
    return this.mutex.tryAcquire(call)
  }

  /** Waits for the turn of a call. Fails after `timeout` milliseconds. */
  turn(call: MutexHolder, timeout: number): Effect.Effect<void, StorageBusy> {
    return this.mutex.acquire(call, timeout)
  }

  /** Lets the next call run. */
  end(call: MutexHolder): void {
    this.mutex.release(call)
  }

  /**
   * Sends a statement: at once if none is under way, else behind it. Libraries do not want two at a time. A statement that has
   * waited is given the transaction of the one before: it must not run in the next one, whose beginning may have overtaken it.
   */
  send<A>(statement: (transaction: string | undefined) => Promise<A>): Promise<A> {
    const result = this.sent === undefined ? statement(undefined) : this.sent.then(() => statement(this.current))
    const end = (): void => {
      if (this.sent === settled) this.sent = undefined
    }
    const settled: Promise<unknown> = result.then(end, end)
    this.sent = settled
    return result
  }
}

/** By the identity of a transaction, for all stores. */
const queues = new WeakMap<object, CallQueue>()

/** The queue of a transaction with this identity. */
export const callQueueOf = (identity: object): CallQueue => {
  const known = queues.get(identity)
  if (known !== undefined) return known
  const queue = new CallQueue()
  queues.set(identity, queue)
  return queue
}
