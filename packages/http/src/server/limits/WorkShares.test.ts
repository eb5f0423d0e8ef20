import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { RateLimited } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import { createHandler } from "../createHandler.ts"
import { strangers, WorkShares } from "./WorkShares.ts"

/** Shares with a clock that only work moves, and timers. */
const makeShares = () => {
  let now = 0
  const timers: Array<{ readonly turn: () => void; readonly at: number }> = []
  const shares = new WorkShares(
    () => now,
    (turn, millis) => timers.push({ turn, at: now + millis })
  )
  const run = (isDue: (at: number) => boolean): void => {
    for (const timer of timers.splice(0)) {
      if (isDue(timer.at)) timer.turn()
      else timers.push(timer)
    }
  }
  return {
    shares,
    /** Work that takes so many milliseconds. */
    take: (millis: number) => {
      now += millis
    },
    /** Lets a millisecond pass, and runs what is due then. */
    tick: () => {
      now++
      run((at) => at <= now)
    },
    /** Runs what is due at once. */
    turn: () => run((at) => at <= now),
    time: () => now
  }
}

/**
 * How many requests of others end in ten seconds, each of a millisecond, while a key sends work of this length on eight connections.
 * Behind each, sockets and the garbage collector take a third as long, which nobody measures.
 */
const run = (attack: number | undefined, others: ReadonlyArray<number>) => {
  const { shares, take, tick, time } = makeShares()
  const done = { attacker: 0, others: 0 }
  let waiting = 0
  let unmeasured = 0
  const send = (): void => {
    const work = (): void => {
      take(attack ?? 0)
      unmeasured += (attack ?? 0) / 3
      done.attacker++
    }
    if (shares.mustWait("attacker")) {
      waiting++
      shares.defer("attacker", () => {
        waiting--
        work()
      })
    } else shares.measure(work, () => "attacker")
  }
  while (time() < 10_000) {
    if (attack !== undefined) for (let open = waiting; open < 8; open++) send()
    for (const id of others) {
      if (shares.mustWait(id)) shares.defer(id, () => take(1))
      else {
        shares.measure(
          () => take(1),
          () => id
        )
        done.others++
      }
    }
    take(unmeasured)
    unmeasured = 0
    tick()
  }
  return done
}

describe("given a key whose requests take much of the event loop", () => {
  for (const millis of [5, 20, 150]) {
    it(`when each takes ${millis} ms, then others keep two thirds of what they had, and it goes on`, () => {
      const others = [1, 2, 3, 4, 5, 6]
      const alone = run(undefined, others)
      const attacked = run(millis, others)
      assert.isAbove(attacked.others, (alone.others * 2) / 3)
      assert.isAbove(attacked.attacker, 0)
    })
  }

  /** The milliseconds that keys have in four seconds, each of which asks again a millisecond after its eight requests of this length. */
  const both = (...lengths: ReadonlyArray<number>): ReadonlyArray<number> => bothFrom(makeShares(), lengths)

  const bothFrom = (
    { shares, take, tick, time }: ReturnType<typeof makeShares>,
    lengths: ReadonlyArray<number>
  ): ReadonlyArray<number> => {
    const end = time() + 4_000
    const had = lengths.map(() => 0)
    const waiting = lengths.map(() => 0)
    while (time() < end) {
      for (const [id, length] of lengths.entries()) {
        const work = (): void => {
          take(length)
          had[id] = (had[id] ?? 0) + length
        }
        for (let open = waiting[id] ?? 0; open < 8; open++) {
          if (!shares.mustWait(id)) shares.measure(work, () => id)
          else {
            waiting[id] = (waiting[id] ?? 0) + 1
            shares.defer(id, () => {
              waiting[id] = (waiting[id] ?? 0) - 1
              work()
            })
          }
        }
      }
      tick()
    }
    return had
  }

  it("when another one wants all the time too, then each has half of it", () => {
    const [one = 0, other = 0] = both(0.25, 0.25)
    assert.isAbove(Math.min(one, other), 1_400)
  })

  it("when another one wants all the time too, and blocks it for long, then it has the larger part", () => {
    const [alone = 0] = both(0.25)
    for (const length of [2, 20, 70]) {
      const [beside = 0, blocking = 0] = both(0.25, length)
      assert.isAbove(beside, alone * 0.6, `beside work of ${length} ms`)
      assert.isAbove(blocking, 200)
    }
  })

  /** The milliseconds that work of half a millisecond has in four seconds, beside a visitor who asks every so many milliseconds. */
  const besideVisitor = (interval: number): number => {
    const { shares, take, tick, time } = makeShares()
    let [done, waiting, visited] = [0, 0, 0]
    const work = (): void => {
      take(0.5)
      done++
    }
    while (time() < 4_000) {
      if (time() - visited >= interval) {
        visited = time()
        shares.mustWait("visitor")
      }
      for (let open = waiting; open < 8; open++) {
        if (shares.mustWait("batch")) {
          waiting++
          shares.defer("batch", () => {
            waiting--
            work()
          })
        } else shares.measure(work, () => "batch")
      }
      tick()
    }
    return done / 2
  }

  it("when another one asks now and then, then it is not held to its share", () => {
    const alone = besideVisitor(10_000)
    for (const interval of [20, 500]) assert.isAbove(besideVisitor(interval), alone / 3, `every ${interval} ms`)
  })

  it("when others are always active, then it goes on within its share", () => {
    const { shares, take, tick } = makeShares()
    shares.measure(
      () => take(400),
      () => 1
    )
    let ran = 0
    for (let count = 0; count < 8; count++) shares.defer(1, () => ran++)
    for (let count = 0; count < 3_000; count++) {
      shares.mustWait(2)
      tick()
    }
    assert.strictEqual(ran, 8)
  })

  it("when it was within its share for long, then another one that wants all the time has as much as it", () => {
    const made = makeShares()
    const { shares, take, tick, time } = made
    while (time() < 60_000) {
      shares.mustWait(0)
      shares.measure(
        () => take(1),
        () => 0
      )
      for (let count = 0; count < 6; count++) tick()
    }
    const [one = 0, other = 0] = bothFrom(made, [0.25, 0.25])
    assert.isBelow(Math.abs(one - other), 600)
  })

  it("when no other key is active, then nothing of it waits", () => {
    const { shares, take } = makeShares()
    for (let count = 0; count < 1_000; count++) {
      assert.isFalse(shares.mustWait(1))
      shares.measure(
        () => take(20),
        () => 1
      )
    }
  })

  it("when it waits for later, then another one whose turn it is waits for nothing", () => {
    const { shares, take, tick, turn } = makeShares()
    const work = (id: number, millis: number): void =>
      shares.measure(
        () => take(millis),
        () => id
      )
    for (let count = 0; count < 3_000; count++) work(1, 0.1)
    work(2, 400)
    assert.isFalse(shares.mustWait(3))
    tick()
    tick()
    const ran: Array<number> = []
    for (const id of [2, 1]) {
      assert.isTrue(shares.mustWait(id))
      shares.defer(id, () => ran.push(id))
    }
    turn()
    assert.deepStrictEqual(ran, [1])
  })

  it("when others have stopped, then what waits runs without its share", () => {
    const { shares, take, tick } = makeShares()
    shares.measure(
      () => take(900),
      () => 1
    )
    assert.isFalse(shares.mustWait(2))
    assert.isTrue(shares.mustWait(1))
    let ran = 0
    for (let count = 0; count < 10; count++) shares.defer(1, () => ran++)
    for (let count = 0; count < 900; count++) tick()
    assert.strictEqual(ran, 0)
    for (let count = 0; count < 200; count++) tick()
    assert.strictEqual(ran, 10)
  })

  it.effect(
    "when many of its requests wait, then the next is rejected with the time to wait; one that was canceled makes room",
    () =>
      Effect.gen(function* () {
        const { shares, take } = makeShares()
        shares.measure(
          () => take(900),
          () => 1
        )
        shares.mustWait(2)
        const others = Array.from({ length: 64 }, () => shares.turn(1))
        const fibers = yield* Effect.forEach(others, (turn) => Effect.forkChild(turn, { startImmediately: true }))
        const error = yield* Effect.flip(shares.turn(1))
        assert.instanceOf(error, RateLimited)
        assert.strictEqual(error.details.retryAfterSeconds, 6)
        for (const fiber of fibers.slice(0, 1)) yield* Fiber.interrupt(fiber)
        const waits = yield* Effect.forkChild(shares.turn(1), { startImmediately: true })
        assert.isUndefined(waits.pollUnsafe())
      })
  )

  it("when work is part of other work, then its time counts once", () => {
    const { shares, take } = makeShares()
    shares.measure(
      () =>
        shares.measure(
          () => take(60),
          () => 1
        ),
      () => 1
    )
    shares.mustWait(2)
    assert.isFalse(shares.mustWait(1))
    shares.measure(
      () => take(60),
      () => 1
    )
    shares.mustWait(2)
    assert.isTrue(shares.mustWait(1))
  })

  it("when a store runs its command later, then that counts, with what it writes; in work that is measured it counts once", () => {
    const { shares, take } = makeShares()
    const commandOf30 = () => {
      const onEnd = shares.command(1)
      take(30)
      onEnd?.()
    }
    shares.measure(commandOf30, () => 1)
    shares.mustWait(2)
    assert.isFalse(shares.mustWait(1))
    commandOf30()
    assert.isTrue(shares.mustWait(1))
  })

  it("when it is its turn, then what it does in that does not wait again", () => {
    const { shares, take, tick } = makeShares()
    shares.measure(
      () => take(900),
      () => 1
    )
    shares.mustWait(2)
    const waits: Array<boolean> = []
    shares.defer(1, () => waits.push(shares.mustWait(1)))
    take(4_000)
    tick()
    assert.deepStrictEqual(waits, [false])
  })

  it("when strangers take much, then they wait for keys, and no key waits for them", () => {
    const { shares, take } = makeShares()
    for (const id of [strangers, 1]) {
      shares.measure(
        () => take(200),
        () => id
      )
    }
    assert.isFalse(shares.mustWait(strangers))
    assert.isFalse(shares.mustWait(1))
    shares.mustWait(2)
    assert.isTrue(shares.mustWait(strangers))
  })

  it.effect("when fibers of it go on behind a yield, then each waits for its turn, though no other key is active", () =>
    Effect.gen(function* () {
      const { shares, take, turn } = makeShares()
      const scheduler = shares.scheduler(yield* Scheduler.Scheduler, 1)
      let done = 0
      const work = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => {
          take(60)
          done++
        })
      )
      const all = Array.from({ length: 8 }, () => Effect.runPromise(work, { scheduler }))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.strictEqual(done, 2)
      turn()
      assert.strictEqual(done, 3)
      assert.isFalse(shares.mustWait(2))
      while (done < 8) {
        turn()
        take(500)
      }
      yield* Effect.promise(() => Promise.all(all))
    })
  )

  it.effect("when a fiber goes on behind a yield, then that counts too", () =>
    Effect.gen(function* () {
      const { shares, take } = makeShares()
      const scheduler = shares.scheduler(yield* Scheduler.Scheduler, 1)
      const work = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => take(120))
      )
      yield* Effect.promise(() => Effect.runPromise(work, { scheduler }))
      shares.mustWait(2)
      assert.isTrue(shares.mustWait(1))
    })
  )
})

describe("given a handler, and an actor who takes much of the event loop", () => {
  afterEach(() => vi.restoreAllMocks())

  it("when another one is active, then the first waits, and is rejected with Retry-After if too much of it waits", async () => {
    let now = 0
    vi.spyOn(performance, "now").mockImplementation(() => now)
    await using petstore = await createPetstore()
    const handler = createHandler(petstore, {
      authenticate: (request) => {
        const actor = request instanceof Request ? (request.headers.get("x-actor") ?? "") : ""
        // Its share of three seconds.
        if (actor === "busy") now += 400
        return { actor, scopes: ["pets:read"] }
      }
    })
    const send = (actor: string) =>
      handler.fetch(new Request("http://shop.example/v1/pets", { headers: { "x-actor": actor } }))
    assert.strictEqual((await send("busy")).status, 200)
    assert.strictEqual((await send("other")).status, 200)
    const statuses: Array<number> = []
    const waiting = Array.from({ length: 70 }, async () => {
      now -= 400
      const response = await send("busy")
      statuses.push(response.status)
      if (response.status === 429) assert.match(response.headers.get("retry-after") ?? "", /^[1-6]$/)
    })
    for (let count = 0; count < 10; count++) assert.strictEqual((await send("other")).status, 200)
    assert.deepStrictEqual(new Set(statuses), new Set([429]))
    now += 10_000
    await Promise.all(waiting)
    assert.lengthOf(
      statuses.filter((status) => status === 200),
      64
    )
    await handler.close()
  })
})
