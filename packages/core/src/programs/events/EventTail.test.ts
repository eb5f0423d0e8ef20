import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { StorageBusy } from "../../domain/errors/ServiceErrors.ts"
import type { Event, EventType } from "../../domain/events/Event.ts"
import type { EventFilter } from "../../domain/events/EventFilter.ts"
import { EventFollower } from "./EventFollower.ts"
import { eventsAtHand } from "./EventPage.ts"
import { EventTail, tailPage } from "./EventTail.ts"

const event = (seq: number): Event => ({
  seq,
  id: `evt_${seq}`,
  timestamp: "2026-11-22T00:00:00.000Z",
  type: seq % 2 === 0 ? "category.deleted" : "pet.deleted",
  subject: seq % 2 === 0 ? `categories/${seq}` : `pets/${seq}`,
  data: { id: seq }
})

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** A log whose tail has read up to a seq, and how often its followers have read the log themselves. */
const logUpTo = (last: number) => {
  // Each look at the time takes so many milliseconds.
  const state = { reads: 0, broken: false, elapsed: 0, look: 2 }
  const log = from(1, last).map(event)
  const tail = new EventTail(last, () => (state.elapsed += state.look))
  const scan = (after: number, limit: number) =>
    Effect.suspend(() => {
      state.reads++
      return state.broken ? Effect.fail(new StorageBusy({})) : Effect.succeed(log.slice(after, after + limit))
    })
  const append = (count: number): number => {
    const page = from(log.length + 1, log.length + count).map(event)
    log.push(...page)
    return [...tail.append(eventsAtHand(page))].length
  }
  const follow = <T extends EventType>(start: number, filter: EventFilter<T> = {}) =>
    new EventFollower(tail, scan, start, filter)
  /** A follower that takes nothing, so that the tail keeps its pages. */
  const lag = () => follow(0)
  return { append, follow, lag, state, tail }
}

const seqs = (events: ReadonlyArray<Event>) => events.map(({ seq }) => seq)

describe("given followers of one log", () => {
  it.effect("when they have caught up, then a page is read by none of them, and all receive the same events", () =>
    Effect.gen(function* () {
      const { append, follow, state } = logUpTo(5)
      const followers = from(1, 3).map(() => follow(5))
      const waiting = yield* Effect.forEach(followers, ({ next }) => Effect.forkChild(next, { startImmediately: true }))
      append(2)
      const [first, ...others] = yield* Effect.forEach(waiting, Fiber.join)
      assert.deepStrictEqual(seqs(first ?? []), [6, 7])
      for (const other of others) assert.strictEqual(other[0], first?.[0])
      assert.strictEqual(state.reads, 0)
      assert.isFrozen(first?.[0])
      assert.isFrozen(first?.[0]?.data)
    })
  )

  it.effect("when one is behind, then it reads by itself until it has caught up, without a gap or a repetition", () =>
    Effect.gen(function* () {
      const { append, follow, state } = logUpTo(250)
      const follower = follow(0)
      const received: Array<number> = []
      while (received.length < 250) received.push(...seqs(yield* follower.next))
      assert.strictEqual(state.reads, 3)
      append(10)
      received.push(...seqs(yield* follower.next))
      assert.strictEqual(state.reads, 3)
      assert.deepStrictEqual(received, from(1, 260))
    })
  )

  it.effect("when one is slower than the tail keeps events, then it reads what it missed from the log", () =>
    Effect.gen(function* () {
      const { append, follow, state, tail } = logUpTo(0)
      const follower = follow(0)
      for (let page = 0; page < 40; page++) append(100)
      assert.isAtMost(follow(tail.first).take().length, 256)
      const received: Array<number> = []
      while (received.length < 4_000) received.push(...seqs(yield* follower.next))
      assert.deepStrictEqual(received, from(1, 4_000))
      assert.isAbove(state.reads, 0)
    })
  )

  it("when they take nothing for twelve commits of 64 orders, as while they record positions, then none reads the log", () => {
    const { append, follow, state } = logUpTo(0)
    const followers = from(1, 3).map(() => follow(0))
    for (let commit = 0; commit < 12; commit++) append(128)
    for (const follower of followers) {
      const received: Array<number> = []
      for (let page = follower.take(); page.length > 0; page = follower.take()) received.push(...seqs(page))
      assert.deepStrictEqual([received, follower.mustRead, state.reads], [from(1, 12 * 128), false, 0])
    }
  })

  it("when many select the same, then the page of all of them is made once", () => {
    const { append, follow } = logUpTo(0)
    const every = from(1, 3).map(() => follow(0))
    const some = from(1, 3).map(() => follow(0, { types: new Set(["pet.deleted", "pet.created"] as const) }))
    const other = follow(0, { types: new Set(["pet.created", "pet.deleted"] as const), subject: "pets/3" })
    append(4)
    const [all, ...others] = every.map((one) => one.take())
    for (const page of others) assert.strictEqual(page, all)
    const [pets, ...rest] = some.map((one) => one.take())
    for (const page of rest) assert.strictEqual(page, pets)
    assert.deepStrictEqual([seqs(all ?? []), seqs(pets ?? []), seqs(other.take())], [[1, 2, 3, 4], [1, 3], [3]])
    append(1)
    assert.deepStrictEqual([...every, ...some, other].map((one) => seqs(one.take())).slice(2, 5), [[5], [5], [5]])
    assert.deepStrictEqual(other.position, 5)
  })

  it("when a page was added since another one took from the same place, then it receives that page too", () => {
    const { append, follow } = logUpTo(0)
    const [early, late] = from(1, 2).map(() => follow(0))
    append(2)
    assert.deepStrictEqual(seqs(early?.take() ?? []), [1, 2])
    append(1)
    assert.deepStrictEqual(seqs(late?.take() ?? []), [1, 2, 3])
  })

  it("when all have caught up, then no page is kept; while one has not, all are kept that it wants", () => {
    const { append, follow, state, tail } = logUpTo(0)
    const other = follow(0, { types: new Set(["order.placed"] as const) })
    const [fast, slow] = [follow(0), follow(0)]
    const takeAll = (follower: EventFollower<EventType>): void => {
      follower.take()
      if (!follower.isClosed) follower.onMore(() => takeAll(follower))
    }
    const kept = () => tail.last - tail.first
    takeAll(fast)
    append(2)
    assert.strictEqual(kept(), 2)
    takeAll(slow)
    append(2)
    // The one for other types does not wait yet.
    assert.strictEqual(kept(), 4)
    other.take()
    other.onMore(() => {})
    append(1)
    assert.strictEqual(kept(), 0)
    fast.close()
    append(1)
    assert.strictEqual(kept(), 0)
    const late = follow(6)
    append(3)
    assert.strictEqual(kept(), 3)
    assert.deepStrictEqual([seqs(late.take()), state.reads], [[7, 8, 9], 0])
    late.close()
    append(1)
    assert.strictEqual(kept(), 0)
  })

  it("when one takes each page after its delivery, as awaited listeners do, then only the last page is kept", () => {
    const { append, follow, tail } = logUpTo(0)
    const follower = follow(0)
    for (const page of from(1, 4)) {
      follower.onMore(() => {})
      append(1)
      assert.strictEqual(tail.last - tail.first, 1)
      assert.deepStrictEqual(seqs(follower.take()), [page])
    }
  })

  it("when a page was added that has not reached its group yet, then members at the same place receive all of it", () => {
    const { append, follow, tail } = logUpTo(0)
    follow(0).onMore(() => {})
    const filter = { types: new Set(["pet.deleted", "category.deleted"] as const) }
    const [early, late] = [follow(0, filter), follow(0, filter)]
    append(2)
    follow(2).onMore(() => {})
    assert.deepStrictEqual(seqs(early.take()), [1, 2])
    const slices = tail.append(eventsAtHand([event(3)]))
    // The first group has the page, the other one not yet.
    slices.next()
    assert.deepStrictEqual(seqs(late.take()), [1, 2, 3])
    Array.from(slices)
  })

  it("when all have taken a page, then its events can be collected", async () => {
    setFlagsFromString("--expose-gc")
    const collectGarbage: () => void = runInNewContext("gc")
    const { follow, tail } = logUpTo(0)
    const taken: Array<WeakRef<object>> = []
    const receive = (follower: EventFollower<EventType>): void => {
      for (const one of follower.take()) taken.push(new WeakRef(one))
      follower.onMore(() => receive(follower))
    }
    for (const filter of [{}, {}, { subject: "pets/1" }]) receive(follow(0, filter))
    Array.from(tail.append(eventsAtHand([event(1), event(2)])))
    assert.lengthOf(taken, 5)
    // What was made in this turn of the event loop stays until its end.
    await setImmediate()
    collectGarbage()
    assert.lengthOf(
      taken.filter((one) => one.deref() !== undefined),
      0
    )
  })

  it("when one takes nothing, then the pages of a limited part of the log are kept for it", async () => {
    setFlagsFromString("--expose-gc")
    const collectGarbage: () => void = runInNewContext("gc")
    const { lag, tail } = logUpTo(0)
    lag()
    const pages = from(1, 100).map((number) => {
      const page = eventsAtHand(from(number * tailPage - tailPage + 1, number * tailPage).map(event))
      Array.from(tail.append(page))
      return new WeakRef(page)
    })
    await setImmediate()
    collectGarbage()
    assert.isBelow(pages.filter((page) => page.deref() !== undefined).length, 20)
  })

  it("when followers come and go between commits, then nothing is kept of them", async () => {
    setFlagsFromString("--expose-gc")
    const collectGarbage: () => void = runInNewContext("gc")
    const { append, follow } = logUpTo(0)
    const staying = follow(0)
    append(8)
    const gone = from(1, 40).flatMap((number) => {
      // Some with filters that others have too, and some that have waited.
      const filter = { subject: `pets/${number % 20}` }
      const follower = follow(0, filter)
      follower.take()
      if (number % 3 === 0) follower.onMore(() => {})
      follower.close()
      return [new WeakRef<object>(filter), new WeakRef<object>(follower)]
    })
    // What was made in this turn of the event loop stays until its end, and a frame that V8 is about to replace may hold one more.
    for (let turn = 1; turn <= 2; turn++) {
      await setImmediate()
      collectGarbage()
    }
    assert.lengthOf(
      gone.filter((one) => one.deref() !== undefined),
      0
    )
    assert.lengthOf(staying.take(), 8)
  })

  it("when nothing in a page is selected, then a follower is not woken, and its position passes the page", () => {
    const { append, follow } = logUpTo(0)
    const woken: Array<string> = []
    const other = follow(0, { types: new Set(["order.placed"] as const) })
    const subject = follow(0, { subject: "pets/3" })
    other.onMore(() => woken.push("other"))
    subject.onMore(() => woken.push("subject"))
    append(2)
    assert.deepStrictEqual([woken, other.position, subject.position], [[], 2, 2])
    append(1)
    assert.deepStrictEqual([woken, other.position], [["subject"], 3])
    assert.deepStrictEqual(seqs(subject.take()), [3])
  })

  it("when it starts after the last event, then it receives nothing up to there", () => {
    const { append, follow } = logUpTo(2)
    const follower = follow(5)
    append(3)
    assert.deepStrictEqual(follower.take(), [])
    append(1)
    assert.deepStrictEqual(seqs(follower.take()), [6])
  })

  it("when there are a thousand, then a page is delivered in slices, and those that come meanwhile miss nothing", () => {
    const { append, follow, lag, tail } = logUpTo(0)
    lag()
    const received = new Map<number, Array<number>>()
    const receive = (follower: EventFollower<EventType>, name: number): void => {
      const events = seqs(follower.take())
      received.set(name, [...(received.get(name) ?? []), ...events])
      follower.onMore(() => receive(follower, name))
    }
    for (const name of from(1, 1_000)) receive(follow(0), name)
    assert.isAbove(append(10), 5)
    const slices = tail.append(eventsAtHand([event(11)]))
    slices.next()
    receive(follow(0), 0)
    assert.isNotEmpty([...slices])
    for (const [name, events] of received) assert.deepStrictEqual(events, from(1, 11), `of ${name}`)
  })

  it("when listeners return fast, then a slice is longer, but not without end, as the clock may stand still", () => {
    const { append, follow, state } = logUpTo(0)
    state.look = 0
    for (const _ of from(1, 1_000)) follow(0).onMore(() => {})
    assert.strictEqual(append(99), 0)
    for (const _ of from(1, 1_000)) follow(99).onMore(() => {})
    assert.strictEqual(append(250), 2)
  })

  it("when listeners take a millisecond each, then other work goes first after a few, however few follow", () => {
    const { follow, state, tail } = logUpTo(0)
    state.look = 0
    let [delivered, longest] = [0, 0]
    const followAll = (): void => {
      for (const _ of from(1, 100)) {
        const follower = follow(tail.last)
        follower.onMore(() => {
          state.elapsed++
          longest = Math.max(longest, ++delivered)
        })
      }
    }
    for (const seq of [1, 2]) {
      followAll()
      for (const _ of tail.append(eventsAtHand([event(seq)]))) delivered = 0
    }
    assert.strictEqual(longest, 3)
  })

  for (const [count, slices] of [
    [100, [0, 33]],
    [1_000, [100, 333]]
  ] as const) {
    it(`when ${count} listeners become slow after pages that they took at once, then they are called in slices again`, () => {
      const { append, follow, state } = logUpTo(0)
      let cost = 0
      const receive = (follower: EventFollower<EventType>): void => {
        follower.take()
        state.elapsed += cost
        follower.onMore(() => receive(follower))
      }
      state.look = 0
      for (const _ of from(1, count)) receive(follow(0))
      for (const _ of from(1, 20)) assert.strictEqual(append(1), 0)
      cost = 1
      for (const least of slices) assert.isAtLeast(append(1), least)
    })
  }

  it("when nobody wants the types of a page, then its events are not made; when one does later, then once for all", () => {
    const { follow, lag, tail } = logUpTo(0)
    lag()
    let loads = 0
    const placed = follow(0, { types: new Set(["order.placed"] as const) })
    placed.onMore(() => {})
    const deferred = (seq: number) => {
      const { first, last, load, types } = eventsAtHand([event(seq)])
      const counted = () => {
        loads++
        return load()
      }
      return { first, last, types, load: counted }
    }
    for (const seq of [1, 2, 3]) assert.deepStrictEqual([...tail.append(deferred(seq))], [])
    assert.deepStrictEqual([loads, placed.position, placed.take(), loads], [0, 3, [], 0])
    const pets = from(1, 2).map(() => follow(0, { types: new Set(["pet.deleted"] as const) }))
    assert.deepStrictEqual(
      pets.map((one) => seqs(one.take())),
      [
        [1, 3],
        [1, 3]
      ]
    )
    assert.strictEqual(loads, 2)
    const [two] = follow(1).take()
    assert.deepStrictEqual([loads, two?.seq], [3, 2])
    assert.isFrozen(two)
    assert.isFrozen(two?.data)
  })

  it("when events were removed before the tail read them, then a follower before the gap reads the log itself", () => {
    for (const filter of [{}, { types: new Set(["order.placed"] as const) }]) {
      const { follow, state, tail } = logUpTo(5)
      state.look = 0
      const follower = follow(5, filter)
      let woken = 0
      follower.onMore(() => woken++)
      assert.deepStrictEqual([...tail.append(eventsAtHand([event(9), event(10)]))], [])
      assert.deepStrictEqual([woken, follower.mustRead, follower.take()], [1, true, []])
    }
  })

  it("when a page that it takes has nothing for it, then it is woken at once for the next", () => {
    const { append, follow, lag } = logUpTo(0)
    lag()
    append(256)
    append(44)
    const follower = follow(0, { subject: "pets/299" })
    assert.deepStrictEqual([follower.take(), follower.position], [[], 256])
    let woken = 0
    follower.onMore(() => woken++)
    assert.deepStrictEqual([woken, seqs(follower.take()), follower.position], [1, [299], 300])
  })

  it("when it waited while pages had nothing for it, then it goes on behind them, also after a failure or its end", () => {
    const { append, follow, lag, tail } = logUpTo(0)
    lag()
    const other = { types: new Set(["order.placed"] as const) }
    const positions: Array<number> = []
    const [failed, closed, replaced] = from(1, 3).map(() => follow(0, other)) as [
      EventFollower<"order.placed">,
      EventFollower<"order.placed">,
      EventFollower<"order.placed">
    ]
    for (const follower of [failed, closed]) follower.onMore(() => positions.push(follower.position))
    replaced.onMore(() => {})
    append(3)
    const late = follow(1, other)
    assert.deepStrictEqual(
      [failed, closed, replaced, late].map(({ position }) => position),
      [3, 3, 3, 1]
    )
    closed.close()
    tail.fail(Cause.fail(new StorageBusy({})))
    assert.deepStrictEqual(positions, [3, 3])
    append(1)
    // It does not wait, so it has not passed the last page.
    assert.deepStrictEqual(
      [failed, closed, replaced, late].map(({ position }) => position),
      [3, 3, 3, 1]
    )
    assert.deepStrictEqual(late.take(), [])
    assert.strictEqual(late.position, 4)
  })

  it.effect(
    "when it could not read what it missed, then it tries again after any commit, also one without events for it",
    () =>
      Effect.gen(function* () {
        const { append, follow, state } = logUpTo(4)
        const behind = follow(0, { subject: "pets/3" })
        const caughtUp = follow(4, { subject: "pets/3" })
        caughtUp.onMore(() => {})
        state.broken = true
        assert.instanceOf(yield* Effect.flip(behind.next), StorageBusy)
        const waiting = yield* Effect.forkChild(behind.next, { startImmediately: true })
        yield* Effect.yieldNow
        assert.strictEqual(state.reads, 1)
        state.broken = false
        append(1)
        assert.deepStrictEqual(seqs(yield* Fiber.join(waiting)), [3])
        assert.strictEqual(state.reads, 2)
        append(1)
        assert.strictEqual(caughtUp.position, 6)
      })
  )

  it.effect("when a read succeeds that had failed, then it reads on without another commit", () =>
    Effect.gen(function* () {
      const { follow, state } = logUpTo(250)
      const behind = follow(0)
      state.broken = true
      assert.instanceOf(yield* Effect.flip(behind.read), StorageBusy)
      assert.isFalse(behind.mustRead)
      state.broken = false
      const received = seqs(yield* behind.read)
      while (behind.mustRead) received.push(...seqs(yield* behind.read))
      assert.deepStrictEqual(received, from(1, 250))
    })
  )

  it.effect("when a read is cancelled, then the next one reads without another commit", () =>
    Effect.gen(function* () {
      const { follow } = logUpTo(100)
      const behind = follow(0)
      const reading = yield* Effect.forkChild(behind.next, { startImmediately: true })
      yield* Fiber.interrupt(reading)
      assert.isTrue(behind.mustRead)
      assert.deepStrictEqual(seqs(yield* behind.next), from(1, 100))
    })
  )

  it.effect("when the log cannot be read, then each fails once, and continues after the next commit", () =>
    Effect.gen(function* () {
      const { append, follow, state, tail } = logUpTo(3)
      const caughtUp = follow(3)
      const behind = follow(0)
      tail.fail(Cause.fail(new StorageBusy({})))
      state.broken = true
      for (const follower of [caughtUp, behind]) assert.instanceOf(yield* Effect.flip(follower.next), StorageBusy)
      assert.isFalse(caughtUp.mustRead)
      assert.instanceOf(yield* Effect.flip(behind.next), StorageBusy)
      assert.strictEqual(state.reads, 1)
      const waiting = yield* Effect.forEach([caughtUp, behind], ({ next }) =>
        Effect.forkChild(next, { startImmediately: true })
      )
      yield* Effect.yieldNow
      assert.strictEqual(state.reads, 1)
      state.broken = false
      append(1)
      const received = yield* Effect.forEach(waiting, Fiber.join)
      assert.deepStrictEqual(received.map(seqs), [[4], [1, 2, 3, 4]])
    })
  )
})

/** A log of orders, the odd ones of ada and the even ones of bob, and how often their owners were looked up. */
const ordersUpTo = (last: number) => {
  const state = { reads: 0, lookUps: 0, broken: false }
  const placed = (seq: number): Event => ({
    seq,
    id: `evt_${seq}`,
    timestamp: "2026-11-22T00:00:00.000Z",
    type: "order.cancelled",
    subject: `orders/${seq}`,
    data: { id: seq }
  })
  const ownersOf = (events: ReadonlyArray<Event>) =>
    new Map(events.map(({ seq, subject }) => [subject, seq % 2 === 0 ? "0 bob" : "0 ada"]))
  const log = from(1, last).map(placed)
  const tail = new EventTail(last, () => 0)
  const scan = (after: number, limit: number) =>
    Effect.sync(() => {
      state.reads++
      return log.slice(after, after + limit)
    })
  const findOwners = (events: ReadonlyArray<Event>) =>
    Effect.suspend(() => {
      state.lookUps++
      return state.broken ? Effect.fail(new StorageBusy({})) : Effect.succeed(ownersOf(events))
    })
  const append = (count: number, owned = true): void => {
    const page = from(log.length + 1, log.length + count).map(placed)
    log.push(...page)
    Array.from(tail.append(eventsAtHand(page), owned ? ownersOf(page) : undefined))
  }
  /** Adds an event that is not about an order. */
  const appendPet = (): void => {
    const seq = log.length + 1
    const page: ReadonlyArray<Event> = [
      { ...placed(seq), type: "pet.deleted", subject: `pets/${seq}`, data: { id: seq } }
    ]
    log.push(...page)
    Array.from(tail.append(eventsAtHand(page), new Map()))
  }
  const follow = (start: number, owner?: string, shownTypes?: ReadonlySet<EventType>) =>
    new EventFollower(tail, scan, start, { owner, shownTypes }, findOwners)
  return { append, appendPet, follow, state, tail }
}

describe("given followers of the orders of one owner", () => {
  it.effect("when a page has its owners, then each receives their own without a read, and pages of others pass", () =>
    Effect.gen(function* () {
      const { append, follow, state, tail } = ordersUpTo(4)
      assert.isFalse(tail.needsOwners)
      const [ada, bob, all] = [follow(4, "0 ada"), follow(4, "0 bob"), follow(4)]
      assert.isTrue(tail.needsOwners)
      let woken = 0
      ada.onMore(() => woken++)
      append(3)
      assert.strictEqual(woken, 1)
      assert.deepStrictEqual(
        [ada, bob, all].map((one) => seqs(one.take())),
        [[5, 7], [6], [5, 6, 7]]
      )
      bob.onMore(() => {})
      ada.onMore(() => woken++)
      append(1)
      assert.deepStrictEqual([ada.position, ada.take(), woken], [8, [], 1])
      assert.deepStrictEqual(seqs(bob.take()), [8])
      assert.deepStrictEqual(state, { reads: 0, lookUps: 0, broken: false })
      ada.close()
      ada.close()
      assert.isTrue(tail.needsOwners)
      bob.close()
      assert.isFalse(tail.needsOwners)
    })
  )

  it.effect("when some see types of events whoever they are about, then these wake and reach them, and no others", () =>
    Effect.sync(() => {
      const { append, appendPet, follow, state } = ordersUpTo(4)
      const [ada, pets] = [follow(4, "0 ada"), follow(4, "0 ada", new Set(["pet.deleted"]))]
      const woken: Array<string> = []
      ada.onMore(() => woken.push("ada"))
      pets.onMore(() => woken.push("pets"))
      appendPet()
      assert.deepStrictEqual([woken, ada.position, seqs(ada.take()), seqs(pets.take())], [["pets"], 5, [], [5]])
      append(2)
      assert.deepStrictEqual([woken, seqs(ada.take()), seqs(pets.take())], [["pets", "ada"], [7], [7]])
      assert.strictEqual(state.reads, 0)
    })
  )

  it.effect("when a page has no owners, then they read it, and receive later pages without a read", () =>
    Effect.gen(function* () {
      const { append, follow, state } = ordersUpTo(4)
      const lagging = follow(4)
      append(2, false)
      const ada = follow(4, "0 ada")
      assert.isTrue(ada.mustRead)
      assert.deepStrictEqual(ada.take(), [])
      assert.deepStrictEqual(seqs(yield* ada.next), [5])
      ada.onMore(() => {})
      append(2, false)
      assert.deepStrictEqual(seqs(yield* ada.next), [7])
      append(1)
      assert.isFalse(ada.mustRead)
      assert.deepStrictEqual(seqs(ada.take()), [9])
      assert.deepStrictEqual(seqs(lagging.take()), [5, 6, 7, 8, 9])
      assert.deepStrictEqual(state, { reads: 2, lookUps: 2, broken: false })
    })
  )

  it.effect("when the owners cannot be read, then it fails, and goes on at the same place later", () =>
    Effect.gen(function* () {
      const { append, follow, state } = ordersUpTo(4)
      const bob = follow(0, "0 bob")
      state.broken = true
      assert.instanceOf(yield* Effect.flip(bob.next), StorageBusy)
      assert.strictEqual(bob.position, 0)
      state.broken = false
      const waiting = yield* Effect.forkChild(bob.next, { startImmediately: true })
      append(2)
      assert.deepStrictEqual(seqs(yield* Fiber.join(waiting)), [2, 4, 6])
    })
  )
})
