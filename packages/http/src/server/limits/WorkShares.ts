import { RateLimited } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { Scheduler } from "effect/Scheduler"

/**
 * The part of the time of the event loop that a key may take while others want some. What is measured is up to three quarters of what its
 * requests cost, so this leaves the others two thirds. A share by the number of keys would leave a half to an attacker among two.
 */
const share = 1 / 5
/** How many milliseconds a key may take at once before it is held to its share. */
const burst = 100
/** A key owes no more than this, in milliseconds: it waits five times as long. */
const largestDebt = 1_000
/**
 * For how many milliseconds after a request of a key others are held to their share: longer than requests take, since those of the
 * others come in only between them.
 */
const activity = 1_000
/** How many requests of one key wait for their turn. */
const waitingLimit = 64
/** How many times as long as a command runs it takes to run it and to write what it has changed, without the sync of a commit. */
const writing = 4
/** For how many milliseconds tasks that have waited run before the event loop continues. */
const slice = 5
/** For how many milliseconds nobody looks whether the other keys have stopped. */
const longestSleep = 50
/** After how many milliseconds accounts are full again, so that they need not be kept. */
const forgetAfter = (burst + largestDebt) / share

/** All clients whose requests have shown no valid credentials, as one key. It is never active: nobody waits because of them. */
export const strangers = -1

/** That of a caller: its key, or the name that the host application gave it. */
type Id = number | string

interface Account {
  readonly id: Id
  /** The milliseconds of the event loop that are left; negative for a key that has taken more than its share. */
  credit: number
  at: number
  readonly waiting: Set<() => void>
  /** How many of those that wait are requests. */
  requests: number
}

/**
 * Measures the time that each key takes of the event loop, beside the rate limit, which counts requests whatever they cost. While other
 * keys are active, those that have taken more than their share wait. When no other one is, nothing waits.
 */
export class WorkShares {
  private readonly now: () => number
  private readonly later: (turn: () => void, millis: number) => void
  private recent = new Map<Id, Account>()
  private older = new Map<Id, Account>()
  private rotatedAt: number
  private readonly inDebt = new Set<Account>()
  private isMeasuring = false
  private isScheduled = false
  /** The key whose turn it is. */
  private served: Id | undefined
  /** The key within its share that was active last, when, and when another one was. */
  private lastId: Id | undefined
  private lastAt = Number.NEGATIVE_INFINITY
  private otherAt = Number.NEGATIVE_INFINITY

  /** Tests pass the clock and the timer. */
  constructor(
    now: () => number = () => performance.now(),
    later: (turn: () => void, millis: number) => void = setTimeout
  ) {
    this.now = now
    this.later = later
    this.rotatedAt = now()
  }

  /** Runs work, and counts its time to a key, which may be known only afterwards: several times if it stands for more. */
  measure<A>(work: () => A, idOf: () => Id | undefined, times = 1): A {
    // The whole counts once.
    if (this.isMeasuring) return work()
    this.isMeasuring = true
    const began = this.now()
    try {
      return work()
    } finally {
      this.isMeasuring = false
      const id = idOf()
      if (id !== undefined) this.spend(id, began, times)
    }
  }

  /** Counts a command that a store runs later to a key. Returns a function to call at its end; undefined if its time counts already. */
  command(id: Id): (() => void) | undefined {
    if (this.isMeasuring) return undefined
    const began = this.now()
    return () => this.spend(id, began, writing)
  }

  /** A scheduler whose tasks count to a key: what a fiber does behind a yield. */
  scheduler(scheduler: Scheduler, id: Id): Scheduler {
    return {
      executionMode: scheduler.executionMode,
      shouldYield: (fiber) => scheduler.shouldYield(fiber),
      makeDispatcher: () => {
        const dispatcher = scheduler.makeDispatcher()
        return {
          scheduleTask: (task, priority) => dispatcher.scheduleTask(() => this.measure(task, () => id), priority),
          flush: () => dispatcher.flush()
        }
      }
    }
  }

  /** Whether work of a key has to wait, because it has taken more than its share and others are active. */
  mustWait(id: Id): boolean {
    // A request that has waited to be read does not wait again to be handled.
    if (id === this.served) return false
    const now = this.now()
    const account = this.accountOf(id, now)
    if (account.credit >= 0 && account.waiting.size === 0) {
      this.noteActivity(id, now)
      return false
    }
    // Who waits is not counted as active, and must not be passed.
    return this.inDebt.size > 0 || now - this.othersAt(id) < activity
  }

  /** Waits for the turn of a key that must wait. Fails if too much of it waits already. */
  turn(id: Id): Effect.Effect<void, RateLimited> {
    return Effect.suspend(() => {
      const account = this.accountOf(id, this.now())
      if (account.requests < waitingLimit) {
        account.requests++
        const turn = Effect.callback<void>((resume) => {
          const cancel = this.defer(id, () => resume(Effect.void))
          return Effect.sync(cancel)
        })
        return Effect.ensuring(
          turn,
          Effect.sync(() => account.requests--)
        )
      }
      const retryAfterSeconds = Math.max(1, Math.ceil(-account.credit / share / 1_000))
      const message = `These requests take more than their share of the server's time. Retry after ${retryAfterSeconds} s.`
      return Effect.fail(new RateLimited({ retryAfterSeconds }, { message }))
    })
  }

  /** Runs a task when it is the turn of a key that must wait. Returns a function that cancels it. */
  defer(id: Id, task: () => void): () => void {
    const account = this.accountOf(id, this.now())
    const measured = (): void => this.measure(task, () => id)
    account.waiting.add(measured)
    this.inDebt.add(account)
    this.schedule()
    return () => account.waiting.delete(measured)
  }

  private schedule(): void {
    if (this.isScheduled || this.inDebt.size === 0) return
    this.isScheduled = true
    let credit = -largestDebt
    for (const account of this.inDebt) credit = Math.max(credit, account.credit)
    this.later(this.runSlice, Math.min(longestSleep, Math.max(1, -credit / share)))
  }

  private readonly runSlice = (): void => {
    this.isScheduled = false
    const began = this.now()
    // Those within their share, and anyone while no other key is active; who has taken least goes first.
    while (this.now() - began < slice) {
      const next = this.nextInDebt()
      if (next === undefined) break
      const [task] = next.waiting
      if (task === undefined) continue
      next.waiting.delete(task)
      this.served = next.id
      task()
    }
    this.served = undefined
    this.schedule()
  }

  private nextInDebt(): Account | undefined {
    const now = this.now()
    let next: Account | undefined
    for (const account of this.inDebt) {
      if (account.waiting.size === 0) this.inDebt.delete(account)
      else if (this.refill(account, now).credit > (next?.credit ?? Number.NEGATIVE_INFINITY)) next = account
    }
    return next !== undefined && (next.credit >= 0 || now - this.othersAt(next.id) >= activity) ? next : undefined
  }

  private spend(id: Id, began: number, times: number): void {
    const now = this.now()
    const account = this.accountOf(id, now)
    account.credit = Math.max(-largestDebt, account.credit - (now - began) * times)
  }

  private noteActivity(id: Id, now: number): void {
    if (id === strangers) return
    if (id !== this.lastId) {
      this.otherAt = this.lastAt
      this.lastId = id
    }
    this.lastAt = now
  }

  private othersAt(id: Id): number {
    return id === this.lastId ? this.otherAt : this.lastAt
  }

  private accountOf(id: Id, now: number): Account {
    const known = this.recent.get(id)
    if (known !== undefined) return this.refill(known, now)
    if (now - this.rotatedAt >= forgetAfter) {
      this.older = this.recent
      this.recent = new Map()
      this.rotatedAt = now
    }
    const account = this.older.get(id) ?? { id, credit: burst, at: now, waiting: new Set(), requests: 0 }
    this.older.delete(id)
    this.recent.set(id, account)
    return this.refill(account, now)
  }

  private refill(account: Account, now: number): Account {
    account.credit = Math.min(burst, account.credit + (now - account.at) * share)
    account.at = now
    return account
  }
}
