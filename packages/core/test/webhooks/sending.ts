import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { withLockChecks } from "../../../../laboratory/locks/withLockChecks.ts"
import { StorageUnavailable } from "../../src/domain/errors/ServiceErrors.ts"
import { memory } from "../../src/memory/MemoryStorage.ts"
import { Petstore } from "../../src/petstore/EffectPetstore.ts"
import { Storage, type StorageAdapter } from "../../src/ports/Storage.ts"
import type { WebhookOutcome, WebhookRequest } from "../../src/ports/WebhookSender.ts"
import { MessageDelivery, type MessageHandler } from "../../src/runtime/messages/MessageDelivery.ts"
import { withRows } from "../support/withRows.ts"

export const url = "https://example.com/hook"

export interface Sent extends WebhookRequest {
  readonly at: number
}

export const delivered: WebhookOutcome = { delivered: true, status: 204 }
export const failed = {
  delivered: false,
  reason: "status",
  status: 500,
  message: "The endpoint responded 500."
} as const satisfies WebhookOutcome

/** A sender that notes its requests. `respond` decides each outcome. */
export const givenSender = (respond: (request: WebhookRequest, count: number) => Effect.Effect<WebhookOutcome>) => {
  const sent: Array<Sent> = []
  const active = new Map<string, number>()
  const state = { sent, most: 0, doubles: 0 }
  const send = (request: WebhookRequest) =>
    Effect.suspend(() => {
      const key = `${request.webhookId} ${request.id}`
      const running = active.get(key) ?? 0
      if (running > 0) state.doubles++
      active.set(key, running + 1)
      state.most = Math.max(
        state.most,
        [...active.values()].reduce((sum, count) => sum + count, 0)
      )
      sent.push({ ...request, at: request.timestamp })
      return Effect.ensuring(
        respond(request, sent.length),
        Effect.sync(() => active.set(key, (active.get(key) ?? 1) - 1))
      )
    })
  return { ...state, state, sender: { send, urlProblem: () => undefined } }
}

/** A store in memory that is only read by the operations which every store has. */
export const adapterOf = () =>
  withRows(withLockChecks(memory()), ({ events: { scanDeferred: _, ...events } }) => ({ events }))

/** Runs a command, or does something else in its place. */
type Around = <A, E>(command: string | undefined, run: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>

/** A store whose commands run as `around` says. */
export const running = (around: Around, adapter = adapterOf()): StorageAdapter =>
  withRows(adapter, ({ run }) => ({ run: (begin, command) => around(command, run(begin, command)) as never }))

/** A store that calls `onCommand` with the name of each command. */
export const noting = (onCommand: (command: string | undefined) => void): StorageAdapter =>
  running((command, run) => {
    onCommand(command)
    return run
  })

/** A store that refuses a command so many times. */
export const refusing = (refused: string, times: number): StorageAdapter => {
  let left = times
  return running((command, run) => {
    if (command !== refused || left === 0) return run
    left--
    return Effect.fail(new StorageUnavailable({}))
  })
}

/** Opens a petstore that sends webhooks, and delivers messages if there is a handler. */
export const open = (
  sender: ReturnType<typeof givenSender>["sender"],
  adapter = adapterOf(),
  handler?: MessageHandler
) => {
  const petstore = Petstore.layer(adapter, { webhooks: sender })
  const layer = handler === undefined ? petstore : Layer.provideMerge(MessageDelivery.layer(handler), petstore)
  return Effect.map(Layer.build(layer), (services) => ({
    ...Context.get(services, Petstore),
    storage: Context.get(services, Storage)
  }))
}

/** Lets the time pass in which commits are noticed, deliveries are made and attempts end. Notifications use real timers. */
export const settle = Effect.repeat(
  Effect.andThen(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    TestClock.adjust(1)
  ),
  { times: 50 }
)

export const pass = (time: Parameters<typeof TestClock.adjust>[0]) =>
  Effect.andThen(settle, Effect.andThen(TestClock.adjust(time), settle))

export const typesOf = (sent: ReadonlyArray<Sent>) => sent.map(({ body }) => JSON.parse(body).type)

export const verified = (petstore: {
  readonly verify: Effect.Effect<{ readonly checks: ReadonlyArray<{ readonly violations: number }> }, unknown>
}) =>
  Effect.map(petstore.verify, ({ checks }) =>
    assert.deepStrictEqual(
      checks.filter(({ violations }) => violations > 0),
      []
    )
  )

/** Milliseconds. Longer than a worker waits before it looks at the wall clock again. */
const longestIdle = 20_000

/** A wall clock that can be set, over the test clock: timers go on as before. */
export const shiftingClock = Effect.map(Clock.Clock, (clock) => {
  let offset = 0
  const shiftable: Clock.Clock = {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + offset,
    currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + offset),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + BigInt(offset) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => clock.currentTimeNanosUnsafe() + BigInt(offset) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
  return {
    /** Runs an effect, and what it opens, with this clock. */
    shifted: Effect.provideService(Clock.Clock, shiftable),
    shift: (by: Duration.Input) => {
      offset = Duration.toMillis(by)
    },
    /** The same as {@link pass} on this clock, but timers only run for the last seconds: those of a day take a second to run. */
    elapse: (time: Duration.Input) =>
      Effect.suspend(() => {
        const timed = Math.min(Duration.toMillis(time), longestIdle)
        offset += Duration.toMillis(time) - timed
        return pass(timed)
      })
  }
})
