import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Event } from "../../domain/events/Event.ts"
import type { HandlerStart } from "./EventHandler.ts"
import { HandlerCalls } from "./HandlerCalls.ts"

const eventOf = (seq: number): Event => ({
  id: `evt_${seq}`,
  seq,
  type: "category.deleted",
  subject: `categories/${seq}`,
  timestamp: "2026-05-04T09:30:00.000Z",
  data: { id: seq }
})

/** Calls of a handler that has not returned for the events of odd numbers before `end` is called. */
const begun = (events: ReadonlyArray<number>) => {
  const ends: Array<() => void> = []
  const handled: Array<readonly [seq: number, hasWaited: boolean]> = []
  const exits: Array<Exit.Exit<unknown, unknown>> = []
  const start: HandlerStart = ({ seq }) =>
    seq % 2 === 0 ? Exit.void : { onEnd: (end) => ends.push(() => end(Exit.void)), cancel: Effect.void }
  const calls = new HandlerCalls(
    start,
    10,
    () => 0,
    () => {}
  )
  calls.begin(
    events.map(eventOf),
    1,
    ({ seq }, hasWaited) => handled.push([seq, hasWaited]) > 0,
    (exit) => exits.push(Effect.runSync(exit))
  )
  return { calls, handled, exits, end: () => ends.shift()?.() }
}

describe("given calls of a handler", () => {
  it("when it returns at once or later, then each event is handled in turn, and known to have waited or not", () => {
    const { end, exits, handled } = begun([2, 3, 4, 5])
    end()
    assert.deepStrictEqual(exits, [])
    end()
    assert.deepStrictEqual(handled, [
      [2, false],
      [3, true],
      [4, false],
      [5, true]
    ])
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true])
  })

  const endings = {
    "taken too long": ({ calls }: ReturnType<typeof begun>) => calls.expire(10),
    "been cancelled": ({ calls }: ReturnType<typeof begun>) => Effect.runSync(calls.cancel)
  }
  for (const [name, ended] of Object.entries(endings)) {
    it(`when one has ${name} and returns after all, then its event is not handled`, () => {
      const begin = begun([1, 2])
      ended(begin)
      const exits = begin.exits.map(Exit.isSuccess)
      begin.end()
      assert.deepStrictEqual([begin.handled, begin.calls.done], [[], 0])
      assert.deepStrictEqual(begin.exits.map(Exit.isSuccess), exits)
      assert.notInclude(exits, true)
    })
  }
})
