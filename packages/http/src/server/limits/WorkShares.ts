import { RateLimited } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { Scheduler } from "effect/Scheduler"

/**
 * The part of the time of the event loop that a key may take while others want some. What is measured can be half of what its requests cost,
 * so this leaves the others two thirds. A share by the number of keys would leave a half to an attacker among two.
 */
const share = 1 / 8
/** How many milliseconds a key may take at once before it is held to its share. */
const burstMillis = 100
/** A key owes no more than this, in milliseconds: it waits eight times as long. */
const largestDebtMillis = 700
/**
 * For how many milliseconds after a request of other keys one waits for their next, because its own work would block them: three times as
 * long as that takes, and no longer, so that a key with a request now and then slows down nobody.
 */
const patience = { most: 1_000, perLength: 3 }
/** The least of that for keys within their share, and for those that take all they can: their clients need time to ask again. */
const leastPatience = { withinShare: 1, busy: 5 }
/** After how many milliseconds without a request a key that takes all it can begins anew. */
const thoughtMillis = 100
/** Between keys that take all they can, work of `longWork` milliseconds or more counts `heaviest` times, and shorter work less. */
const longWorkMillis = 0.5
const heaviestWeight = 5
/** By how many milliseconds of the event loop a key may be ahead of another one that takes all it can. */
const leadMillis = 5
/** How many requests of one key wait for their turn. */
const waitingLimit = 64
/** How many times as long as a command runs it takes to run it and to write what it has changed, without the sync of a commit. */
const writingFactor = 4
/** For how many milliseconds tasks that have waited run before the event loop continues. */
const sliceMillis = 5
/** The same while keys within their share are active. */
const sliceBetweenOthersMillis = 1
/** For how many milliseconds nobody looks who may go on. */
const longestSleepMillis = 50
/** After how many milliseconds accounts are full again, so that they need not be kept. */
const forgetAfterMillis = (burstMillis + largestDebtMillis) / share

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
  /** The milliseconds that it has taken, in which long work counts more. */
  taken: number
  /** Whether it has taken more than its share, and has not asked for less since. */
  wantsAll: boolean
  /** When it asked or worked last while it did. */
  busyAt: number
  /** The milliseconds of its longest work of the last second, and when that was. */
  longest: number
  longestAt: number
}

/**
 * Measures the time that each key takes of the event loop, beside the rate limit, which counts requests whatever they cost. While other
 * keys are active, those that have taken more than their share wait; if all have, they take turns for equal times, or less for long work. When no other one
 * is, nothing waits.
 */
export class WorkShares {
  private readonly now: () => number
  private readonly later: (turn: () => void, millis: number) => void
  private recent = new Map<Id, Account>()
  private older = new Map<Id, Account>()
  private rotatedAt: number
  private readonly inDebt = new Set<Account>()
  /** Those that have asked lately while they had taken more than their share. */
  private readonly busy = new Set<Account>()
  /** What the key that took its turn last had taken before: where those begin that come anew. */
  private level = 0
  private isMeasuring = false
  /** When the next slice runs. */
  private scheduled: { readonly isAtOnce: boolean } | undefined
  /** The key whose turn it is. */
  private served: Id | undefined
  /** The key within its share that was active last, when, and when another one was. */
  private lastId: Id | undefined
  private lastAt = Number.NEGATIVE_INFINITY
  private otherAt = Number.NEGATIVE_INFINITY

  /** Tests pass the clock and the timer. */
  constructor(
    now: () => number = performance.now.bind(performance),
    later: (turn: () => void, millis: number) => void = turnLater
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
    return () => this.spend(id, began, writingFactor)
  }

  /** A scheduler whose tasks count to a key, and wait for its turn: what a fiber does behind a yield. */
  scheduler(scheduler: Scheduler, id: Id): Scheduler {
    return {
      executionMode: scheduler.executionMode,
      shouldYield: (fiber) => scheduler.shouldYield(fiber),
      makeDispatcher: () => {
        const dispatcher = scheduler.makeDispatcher()
        return {
          scheduleTask: (task, priority) => dispatcher.scheduleTask(() => this.runPart(id, task), priority),
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
    const isWithinShare = account.credit >= 0 && account.waiting.size === 0
    if (account.wantsAll) this.noteBusy(account, now)
    else this.noteActivity(id, now)
    if (isWithinShare) return false
    // Others may have asked behind what arrived with this: the event loop turns before it is done.
    return account.waiting.size > 0 || now - this.othersAt(id) < patience.most || this.isHeld(account, now)
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

  /** Runs a part of long work: beyond the share of its key, requests of anyone, even the first one, come between two parts. */
  private runPart(id: Id, task: () => void): void {
    if (this.mustWait(id) || this.accountOf(id, this.now()).credit < 0) this.defer(id, task)
    else this.measure(task, () => id)
  }

  private schedule(): void {
    if (this.scheduled?.isAtOnce === true || this.inDebt.size === 0) return
    const isAtOnce = this.nextInDebt() !== undefined
    // One whose turn it is does not wait until those that are held may go on.
    if (!isAtOnce && this.scheduled !== undefined) return
    const scheduled = { isAtOnce }
    this.scheduled = scheduled
    const start = (): void => {
      if (this.scheduled === scheduled) this.runSlice()
    }
    this.later(start, isAtOnce ? 0 : this.sleep())
  }

  /** For how many milliseconds nobody who waits may go on. */
  private sleep(): number {
    const now = this.now()
    let sleep = longestSleepMillis
    for (const account of this.inDebt) {
      const patience = patienceOf(account, now, leastPatience.withinShare) - (now - this.othersAt(account.id))
      sleep = Math.min(sleep, -account.credit / share, patience)
    }
    return Math.max(1, sleep)
  }

  private runSlice(): void {
    this.scheduled = undefined
    const began = this.now()
    const length = began - this.lastAt < patience.most ? sliceBetweenOthersMillis : sliceMillis
    // Those within their share, and anyone while no other key is active; who has taken least goes first.
    while (this.now() - began < length) {
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

  /** Of those that wait, the one that has taken least, if it is within its share or nobody else comes first. */
  private nextInDebt(): Account | undefined {
    const now = this.now()
    let next: Account | undefined
    for (const account of this.inDebt) {
      if (account.waiting.size === 0) this.inDebt.delete(account)
      else {
        this.accountOf(account.id, now)
        if (next === undefined || precedes(account, next)) next = account
      }
    }
    return next !== undefined && (next.credit >= 0 || !this.isHeld(next, now)) ? next : undefined
  }

  /** Whether keys within their share are active, or others that take all they can have had less. */
  private isHeld(account: Account, now: number): boolean {
    if (this.areOthersActive(account, now)) return true
    for (const other of this.busy) {
      const isBack = other.waiting.size > 0 || now - other.busyAt < patienceOf(account, now, leastPatience.busy)
      if (isBack && other !== account && account.taken > other.taken + leadMillis) return true
    }
    return false
  }

  private areOthersActive(account: Account, now: number): boolean {
    return now - this.othersAt(account.id) < patienceOf(account, now, leastPatience.withinShare)
  }

  private noteBusy(account: Account, now: number): void {
    if (account.waiting.size === 0 && now - account.busyAt >= thoughtMillis) account.taken = this.level
    account.busyAt = now
    if (account.id !== strangers) this.busy.add(account)
  }

  private spend(id: Id, began: number, times: number): void {
    const now = this.now()
    const account = this.accountOf(id, now)
    const length = now - began
    account.credit = Math.max(-largestDebtMillis, account.credit - length * times)
    // What it took within its share is no debt.
    if (!account.wantsAll) account.taken = this.level
    account.wantsAll ||= account.credit < 0
    if (account.wantsAll) account.busyAt = now
    if (this.busy.has(account)) this.level = account.taken
    account.taken += length * times * (1 + (heaviestWeight - 1) * Math.min(1, length / longWorkMillis))
    if (length >= account.longest || now - account.longestAt >= patience.most) {
      account.longest = length
      account.longestAt = now
    }
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
    const account = this.recent.get(id) ?? this.recall(id, now)
    account.credit = Math.min(burstMillis, account.credit + (now - account.at) * share)
    account.wantsAll &&= account.credit < burstMillis
    account.at = now
    return account
  }

  /** Moves the account of a key to the recent ones; a full one if there is none. */
  private recall(id: Id, now: number): Account {
    if (now - this.rotatedAt >= forgetAfterMillis) {
      this.older = this.recent
      // Who waits must not be forgotten, or the next request would pass the former.
      this.recent = new Map([...this.inDebt].map((account) => [account.id, account]))
      for (const account of this.busy) if (now - account.busyAt >= patience.most) this.busy.delete(account)
      this.rotatedAt = now
    }
    const account = this.older.get(id) ?? {
      ...{ id, credit: burstMillis, at: now, waiting: new Set(), requests: 0 },
      ...{ taken: this.level, wantsAll: false, busyAt: Number.NEGATIVE_INFINITY, longest: 0, longestAt: now }
    }
    this.older.delete(id)
    this.recent.set(id, account)
    return account
  }
}

const precedes = (one: Account, other: Account): boolean =>
  one.credit >= 0 !== other.credit >= 0 ? one.credit >= 0 : one.taken < other.taken

/** For how many milliseconds a key waits for others: what its longest work of the last second would block. */
const patienceOf = ({ longest, longestAt }: Account, now: number, least: number): number => {
  const length = now - longestAt < patience.most ? longest : 0
  return Math.min(patience.most, Math.max(least, patience.perLength * length))
}

const turnLater = (turn: () => void, millis: number): void => {
  if (millis === 0) setImmediate(turn)
  else setTimeout(turn, millis)
}
