import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import { Principal, theStore } from "../domain/access/Principal.ts"
import {
  type Asker,
  ask,
  askedBy,
  awaiting,
  direct,
  ending,
  goOn,
  map,
  orElse,
  untraced,
  withPrincipal
} from "./Direct.ts"
import { OnTransactionStart } from "./HostTransaction.ts"

const asker = (services: Context.Context<never> = Context.empty()): Asker & { readonly starts: () => number } => {
  let starts = 0
  return {
    principal: { accountId: 7, actor: "key:7" },
    services,
    onStart: () => {
      starts++
    },
    starts: () => starts
  }
}

/** A call that begins and ends when the test says so. */
const gate = <A, E = never>() => {
  let hasBegun = false
  let end: (exit: Exit.Exit<A, E>) => void = () => {}
  const effect = direct<A, E>((_asker, done) => {
    end = done
    return () => {
      if (!hasBegun) done(Exit.interrupt())
    }
  })
  return {
    effect,
    begin: () => {
      hasBegun = true
    },
    end: (exit: Exit.Exit<A, E>) => end(exit)
  }
}

/** Asks, and notes each outcome. */
const asked = <A, E>(effect: Effect.Effect<A, E>, by: Asker = asker()) => {
  const outcomes: Array<Exit.Exit<A, E>> = []
  const cancel = ask(effect, by, (exit) => outcomes.push(exit))
  return { outcomes, cancel }
}

const isInterrupt = (exit: Exit.Exit<unknown, unknown> | undefined): boolean =>
  exit !== undefined && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)

const fails = (reason: string) =>
  direct<number, string>((_asker, done) => {
    done(Exit.fail(reason))
    return () => {}
  })

const five = direct<number>((_asker, done) => {
  done(Exit.succeed(5))
  return () => {}
})

describe("an effect that runs without a fiber", () => {
  it.effect("given steps that follow one another, then asking and running them in a fiber end alike", () =>
    Effect.gen(function* () {
      const effects: ReadonlyArray<Effect.Effect<unknown, string>> = [
        map(five, (n) => n + 1),
        goOn(five, (n) => (n > 4 ? Exit.fail(`${n} is too many`) : Exit.succeed(n))),
        goOn(five, (n) => Effect.succeed(n * 2)),
        goOn(map(five, String), (text) => fails(text)),
        goOn(fails("first"), () => Effect.die("never")),
        goOn(Exit.succeed(3), (n) => map(five, (m) => n + m)),
        orElse(
          fails("caught"),
          (error) => error === "caught",
          () => five
        ),
        orElse(
          fails("other"),
          (error) => error === "caught",
          () => five
        ),
        map(Effect.succeed(5), String)
      ]
      for (const effect of effects) {
        const { outcomes } = asked(effect)
        assert.lengthOf(outcomes, 1)
        assert.deepStrictEqual(outcomes[0], yield* Effect.exit(effect))
      }
    })
  )

  it("given a step that throws, then that is a defect of its call, and not of what has called it back", () => {
    const wrong = (): never => {
      throw new Error("wrong")
    }
    for (const effect of [map(five, wrong), goOn(five, wrong), withPrincipal(wrong)]) {
      const { outcomes } = asked(effect)
      assert.isTrue(outcomes[0] !== undefined && Exit.isFailure(outcomes[0]) && Cause.hasDies(outcomes[0].cause))
    }
  })

  it("given a call that has not begun, when it is cancelled, then it is interrupted; given one that has, then it has its outcome", () => {
    const waiting = gate<number>()
    const first = asked(
      map(
        goOn(five, () => waiting.effect),
        String
      )
    )
    first.cancel()
    assert.isTrue(isInterrupt(first.outcomes[0]))

    const running = gate<number>()
    const second = asked(
      map(
        goOn(five, () => running.effect),
        String
      )
    )
    running.begin()
    second.cancel()
    assert.isEmpty(second.outcomes)
    running.end(Exit.succeed(4))
    assert.deepStrictEqual(second.outcomes, [Exit.succeed("4")])
  })

  it.effect("given a fiber that is interrupted, then it ends when what has begun has ended", () =>
    Effect.gen(function* () {
      const running = gate<number>()
      const fiber = yield* Effect.forkChild(running.effect)
      yield* Effect.yieldNow
      running.begin()
      fiber.interruptUnsafe()
      yield* Effect.yieldNow
      assert.isUndefined(fiber.pollUnsafe())
      running.end(Exit.succeed(4))
      assert.isTrue(isInterrupt(yield* Fiber.await(fiber)))
    })
  )

  it.effect("given an outcome that is an interruption, then a fiber ends with it", () =>
    Effect.gen(function* () {
      const running = gate<number>()
      const fiber = yield* Effect.forkChild(running.effect)
      yield* Effect.yieldNow
      running.begin()
      running.end(Exit.interrupt())
      assert.isTrue(isInterrupt(yield* Fiber.await(fiber)))
    })
  )

  it("given a promise, then its value or the error for its cause is the outcome; given a cancelled one, then it has no other", async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const thrown = () => {
      throw new Error("closed")
    }
    const tried = [() => promise, () => promise, () => Promise.reject(new Error("lost")), thrown].map((begin) =>
      asked(awaiting(begin, String))
    )
    tried[1]?.cancel()
    resolve(4)
    await new Promise(setImmediate)
    const [kept, cancelled, ...failed] = tried.map(({ outcomes }) => outcomes)
    assert.deepStrictEqual(kept, [Exit.succeed(4)])
    assert.isTrue(cancelled?.length === 1 && isInterrupt(cancelled[0]))
    assert.deepStrictEqual(failed, [[Exit.fail("Error: lost")], [Exit.fail("Error: closed")]])
  })

  it("given a caller, then steps see their principal, and whom it is done for instead, with a fiber and without", () => {
    const actor = withPrincipal((principal) => Exit.succeed(principal.actor))
    const inFiber = Effect.map(Principal, ({ actor: name }) => name)
    for (const effect of [actor, inFiber]) {
      assert.deepStrictEqual(asked(effect).outcomes, [Exit.succeed("key:7")])
      assert.deepStrictEqual(asked(askedBy(theStore, effect)).outcomes, [Exit.succeed("owner")])
    }
  })

  it("given a command that begins, in a fiber or without one, then its caller is told", () => {
    const begun = direct<void>((by, done) => {
      by.onStart()
      done(Exit.void)
      return () => {}
    })
    const forked = Effect.flatMap(OnTransactionStart, (onStart) => Effect.sync(() => void onStart()))
    for (const effect of [begun, forked, askedBy(theStore, begun)]) {
      const caller = asker()
      asked(effect, caller)
      assert.strictEqual(caller.starts(), 1)
    }
  })

  it("given a traced caller, then it runs in a fiber, where its span is", () => {
    const span = Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "2".repeat(16) })
    const effect = untraced(
      () => Exit.succeed("without one"),
      () => Effect.succeed("in a fiber")
    )
    assert.deepStrictEqual(asked(effect).outcomes, [Exit.succeed("without one")])
    const traced = asker(Context.make(Tracer.ParentSpan, span) as Context.Context<never>)
    assert.deepStrictEqual(asked(effect, traced).outcomes, [Exit.succeed("in a fiber")])
  })

  it("given the modules of ports, then none exports a function named then: an import of it would never end", async () => {
    for (const module of [await import("./Direct.ts"), await import("./index.ts")]) assert.notProperty(module, "then")
  })

  it.effect(
    "given a function for its end, when it ends or is interrupted, then that is called once, before the outcome",
    () =>
      Effect.gen(function* () {
        let ends = 0
        const counted = <A, E>(self: Effect.Effect<A, E>) => ending(self, () => void ends++)
        const after = map(counted(five), () => ends)
        assert.deepStrictEqual(asked(after).outcomes, [Exit.succeed(1)])
        assert.strictEqual(yield* after, 2)
        assert.deepStrictEqual(asked(counted(fails("no"))).outcomes, [Exit.fail("no")])
        assert.strictEqual(ends, 3)
        const { cancel } = asked(counted(gate().effect))
        cancel()
        assert.strictEqual(ends, 4)
        const fiber = yield* Effect.forkChild(counted(Effect.never), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(ends, 5)
      })
  )
})
