import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { OnTransactionStart } from "../ports/Transaction.ts"
import { runBodyAsync } from "./runBodyAsync.ts"
import { StorageCalls } from "./StorageCalls.ts"

/** A store that settles its calls when the test says so, in the order in which they were made. */
class ManualStore {
  readonly calls = new StorageCalls()
  readonly steps: Array<string> = []
  private readonly waiting: Array<() => void> = []

  /** A call that returns its name later. */
  readonly call = (name: string): Effect.Effect<string> =>
    this.calls.call((settle) => {
      this.steps.push(`begin ${name}`)
      this.waiting.push(() => {
        this.steps.push(`settle ${name}`)
        settle(Exit.succeed(name))
      })
    })

  /** A call that returns its name at once. */
  readonly known = (name: string): Effect.Effect<string> => this.calls.call((settle) => settle(Exit.succeed(name)))

  readonly step = (name: string): Effect.Effect<void> => Effect.sync(() => void this.steps.push(name))

  settleNext(): void {
    this.waiting.shift()?.()
  }

  /** Runs a body; undefined as long as it has not ended. */
  run<A, E>(body: Effect.Effect<A, E>, context: Context.Context<never> = Context.empty()) {
    const fiber = Effect.runFork(runBodyAsync(context, body, this.calls))
    return {
      fiber,
      get exit(): Exit.Exit<A, E> | undefined {
        return fiber.pollUnsafe()
      }
    }
  }
}

const diedWaiting = (exit: Exit.Exit<unknown, unknown> | undefined): boolean =>
  exit !== undefined &&
  Exit.isFailure(exit) &&
  Cause.hasDies(exit.cause) &&
  /waited for something other than its store/.test(String(Cause.squash(exit.cause)))

describe("runBodyAsync", () => {
  it("given a body without storage calls, it has ended at once", () => {
    const store = new ManualStore()
    const body = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.as(Effect.yieldNow, 1))
      return [yield* Fiber.join(fiber), ...(yield* Effect.all([Effect.as(Effect.yieldNow, 2), Effect.succeed(3)]))]
    })
    assert.deepStrictEqual(store.run(body).exit, Exit.succeed([1, 2, 3]))
  })

  it("given a body that fails, dies or interrupts itself, it returns that exit", () => {
    assert.deepStrictEqual(new ManualStore().run(Effect.fail("no")).exit, Exit.fail("no"))
    assert.deepStrictEqual(new ManualStore().run(Effect.die("no")).exit, Exit.die("no"))
    const { exit } = new ManualStore().run(Effect.interrupt)
    assert.isTrue(exit !== undefined && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
  })

  it("given an OnTransactionStart that throws, it dies with that error, and the body does not run", () => {
    const full = new Error("no room")
    const context = Context.make(OnTransactionStart, () => {
      throw full
    })
    const store = new ManualStore()
    assert.deepStrictEqual(store.run(store.step("ran"), context).exit, Exit.die(full))
    assert.deepStrictEqual(store.steps, [])
  })

  it("given calls one after the other, the body goes on in the turn in which each settles", () => {
    const store = new ManualStore()
    const run = store.run(
      Effect.gen(function* () {
        const one = yield* store.call("one")
        yield* Effect.yieldNow
        return [one, yield* store.known("known"), yield* store.call("two")]
      })
    )
    assert.isUndefined(run.exit)
    store.settleNext()
    assert.deepStrictEqual(store.steps, ["begin one", "settle one", "begin two"])
    assert.strictEqual(store.calls.open, 1)
    store.settleNext()
    assert.deepStrictEqual(run.exit, Exit.succeed(["one", "known", "two"]))
    assert.strictEqual(store.calls.open, 0)
  })

  it("given concurrent calls, the body waits for all of them", () => {
    const store = new ManualStore()
    const run = store.run(Effect.all([store.call("one"), store.call("two")], { concurrency: "unbounded" }))
    assert.deepStrictEqual(store.steps, ["begin one", "begin two"])
    store.settleNext()
    assert.isUndefined(run.exit)
    store.settleNext()
    assert.deepStrictEqual(run.exit, Exit.succeed(["one", "two"]))
  })

  it("given a call that resumes the body while it runs, the body is not taken for one that waits", () => {
    const store = new ManualStore()
    const gate = Deferred.makeUnsafe<void>()
    const run = store.run(
      Effect.all(
        [
          Effect.andThen(Deferred.await(gate), store.known("after the gate")),
          Effect.andThen(
            store.call("one"),
            Effect.andThen(Deferred.succeed(gate, undefined), Effect.andThen(Effect.yieldNow, store.known("two")))
          )
        ],
        { concurrency: "unbounded" }
      )
    )
    store.settleNext()
    assert.deepStrictEqual(run.exit, Exit.succeed(["after the gate", "two"]))
  })

  it("given a body that waits before, between or after its calls, it dies at once, and what it holds is released", () => {
    for (const settled of [0, 1]) {
      const store = new ManualStore()
      const body = Effect.ensuring(
        Effect.andThen(settled === 0 ? Effect.void : store.call("one"), Effect.never),
        store.step("released")
      )
      const run = store.run(body)
      for (let index = 0; index < settled; index++) store.settleNext()
      assert.isTrue(diedWaiting(run.exit), `after ${settled} calls`)
      assert.strictEqual(store.steps.at(-1), "released")
    }
  })

  it("given a body that waits for a promise while a call is open, it goes on if the promise is first, else it dies", async () => {
    for (const isFirst of [true, false]) {
      const store = new ManualStore()
      const { promise, resolve } = Promise.withResolvers<string>()
      const run = store.run(
        Effect.all([store.call("one"), Effect.promise(() => promise)], { concurrency: "unbounded" })
      )
      if (isFirst) {
        resolve("elsewhere")
        await promise
        await new Promise<void>((later) => setImmediate(later))
        assert.isUndefined(run.exit)
      }
      store.settleNext()
      if (isFirst) assert.deepStrictEqual(run.exit, Exit.succeed(["one", "elsewhere"]))
      else assert.isTrue(diedWaiting(run.exit))
    }
  })

  it("given a body that cannot be interrupted, it dies, and its later calls do not bring it back", async () => {
    const store = new ManualStore()
    const { promise, resolve } = Promise.withResolvers<void>()
    const run = store.run(
      Effect.uninterruptible(
        Effect.andThen(
          Effect.promise(() => promise),
          store.call("late")
        )
      )
    )
    assert.isTrue(diedWaiting(run.exit))
    resolve()
    await promise
    await new Promise<void>((later) => setImmediate(later))
    store.settleNext()
    assert.isTrue(diedWaiting(run.exit))
  })

  it("given calls in what a killed body releases, they are waited for, and another wait there ends it", () => {
    for (const last of [Effect.void, Effect.never]) {
      const store = new ManualStore()
      const run = store.run(Effect.ensuring(Effect.never, Effect.andThen(store.call("release"), last)))
      assert.isUndefined(run.exit)
      store.settleNext()
      assert.isTrue(diedWaiting(run.exit))
    }
  })

  it("given a part of the body that is interrupted during its call, the body waits for the call", () => {
    const store = new ManualStore()
    const run = store.run(Effect.raceFirst(store.call("slow"), Effect.as(Effect.yieldNow, "quick")))
    assert.isUndefined(run.exit)
    store.settleNext()
    assert.deepStrictEqual(run.exit, Exit.succeed("quick"))
  })

  it("given a call that throws, or settles twice, the body dies with that error, or sees the first outcome", () => {
    const broken = new Error("no connection")
    const store = new ManualStore()
    const throws = store.calls.call(() => {
      throw broken
    })
    assert.deepStrictEqual(store.run(throws).exit, Exit.die(broken))
    const twice = store.calls.call<number, string>((settle) => {
      settle(Exit.succeed(1))
      settle(Exit.fail("again"))
    })
    assert.deepStrictEqual(new ManualStore().run(twice).exit, Exit.succeed(1))
    assert.strictEqual(store.calls.open, 0)
  })

  it("given a caller that is interrupted after the start, the body goes on, and the caller waits for its end", () => {
    const store = new ManualStore()
    const run = store.run(Effect.andThen(store.call("one"), store.call("two")))
    run.fiber.interruptUnsafe()
    store.settleNext()
    assert.isUndefined(run.exit)
    store.settleNext()
    assert.deepStrictEqual(store.steps, ["begin one", "settle one", "begin two", "settle two"])
    assert.isDefined(run.exit)
  })

  it("given a body inside a body, it is one open call of the outer one, and dies alone", () => {
    const [outer, inner] = [new ManualStore(), new ManualStore()]
    const part = outer.calls.call<string, never>((settle) => {
      inner.run(Effect.andThen(inner.call("one"), Effect.never)).fiber.addObserver((exit) => {
        settle(Exit.succeed(diedWaiting(exit) ? "the part died" : "?"))
      })
    })
    const run = outer.run(Effect.andThen(part, (text) => Effect.as(outer.known("on"), text)))
    assert.isUndefined(run.exit)
    inner.settleNext()
    assert.deepStrictEqual(run.exit, Exit.succeed("the part died"))
  })

  it("given a fiber that outlives its body, it goes on under its own scheduler, and a later body does not run it", async () => {
    const store = new ManualStore()
    const stray = Effect.andThen(Effect.yieldNow, store.step("stray"))
    store.run(Effect.forkDetach(stray, { startImmediately: true }))
    new ManualStore().run(Effect.andThen(Effect.yieldNow, store.step("later")))
    assert.deepStrictEqual(store.steps, ["later"])
    await new Promise<void>((later) => setImmediate(later))
    assert.deepStrictEqual(store.steps, ["later", "stray"])
  })
})
