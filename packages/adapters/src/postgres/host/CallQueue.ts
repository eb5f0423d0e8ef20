import type { StorageBusy } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { Mutex, type MutexHolder } from "../../sql/Mutex.ts"

/** The calls in the transactions of one client, or of one transaction object of a library, which run one after another. */
export class CallQueue {
  private readonly mutex = new Mutex()
  private current: string | undefined

  /** The transaction in which the calls before this one ran: a call that has waited must not begin in the next one. */
  get transaction(): string | undefined {
    return this.current
  }

  /** Remembers the transaction of the call that runs. */
  begun(transaction: string): void {
    this.current = transaction
  }

  /** Waits for the turn of a call. Fails after `timeout` milliseconds. */
  turn(call: MutexHolder, timeout: number): Effect.Effect<void, StorageBusy> {
    return Effect.suspend(() => {
      if (!this.mutex.tryAcquire(call)) return this.mutex.acquire(call, timeout)
      this.current = undefined
      return Effect.void
    })
  }

  /** Lets the next call run. */
  end(call: MutexHolder): void {
    this.mutex.release(call)
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
