import type { Petstore } from "@petstore/core"
import type { Event } from "@petstore/core/domain"
import { ContractViolation, holds, same } from "../check.ts"
import { engineCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { listening, othersTurn, until } from "./listening.ts"
import { invalid, refused, untyped } from "./refused.ts"
import { collect } from "./seen.ts"

const log = (petstore: Petstore): Promise<ReadonlyArray<Event>> => collect(petstore.events.all({ limit: 100 }))

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Writes events, one with each category. */
const categories = async (petstore: Petstore, count: number): Promise<void> => {
  await Promise.all(from(1, count).map(() => category(petstore)))
}

const seqsOf = (events: ReadonlyArray<Event>) => events.map(({ seq }) => seq)

/** A promise, and how to keep it. */
const gate = () => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const thrownBy = async (call: () => Promise<unknown>): Promise<unknown> => {
  try {
    await call()
  } catch (error) {
    return error
  }
  throw new ContractViolation("Expected a rejection", "success", "a rejection")
}

export const eventCases = engineCases<Petstore>("events", {
  "an empty petstore has no events": async (petstore) => {
    same(await petstore.events.latest(), 0)
    same(await petstore.events.list(), { items: [] })
    same(await log(petstore), [])
  },
  "events are listed in the order of their commits, numbered from 1": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const orderId = await orderOf(petstore, petId)
    const events = await log(petstore)
    same(events.map(({ type, subject }) => `${type} ${subject}`).slice(-3), [
      `order.placed orders/${orderId}`,
      `inventory.updated inventory/${petId}`,
      `pet.status_changed pets/${petId}`
    ])
    same(seqsOf(events), from(1, events.length))
    same(await petstore.events.latest(), events.length)
  },
  "a page of events names the next, and its cursor is of this list alone": async (petstore) => {
    await categories(petstore, 5)
    const first = await petstore.events.list({ limit: 2 })
    same(seqsOf(first.items), [1, 2])
    const { next: cursor = "" } = first
    same(seqsOf((await petstore.events.list({ limit: 2, cursor })).items), [3, 4])
    await refused("invalid_cursor", petstore.categories.list({ cursor }))
    await invalid(petstore.events.list({ limit: 101 }), "/query/limit")
  },
  "a listener hears every event from now on, as it is listed": async (petstore) => {
    await category(petstore)
    const { heard, untilHandled } = await listening(petstore)
    const petId = await petOf(petstore, 3)
    await petstore.orders.complete(await orderOf(petstore, petId))
    const events = await log(petstore)
    await untilHandled(events.length)
    same(heard, events.slice(1))
  },
  "what is heard of is committed": async (petstore) => {
    const found: Array<number> = []
    const { untilHandled } = await listening(petstore, { types: ["order.placed"] }, async ({ data }) => {
      found.push((await petstore.orders.get(data.id)).id)
    })
    const petId = await petOf(petstore, 9)
    const placed = await Promise.all(from(1, 5).map(() => orderOf(petstore, petId)))
    await untilHandled(await petstore.events.latest())
    same(found.toSorted(), placed.toSorted())
  },
  "what is refused, changes nothing or is repeated is not heard of": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const { heard, untilHandled } = await listening(petstore)
    const key = { idempotencyKey: "once" }
    const { id } = await petstore.orders.place({ petId }, key)
    await petstore.orders.place({ petId }, key)
    await refused("unknown_pet", petstore.orders.place({ petId: unknown }), { petId: unknown })
    await petstore.pets.update(petId, { name: "Rex" })
    await petstore.orders.cancel(id)
    await untilHandled(await petstore.events.latest())
    same(
      heard.map(({ type }) => type),
      [
        ...["order.placed", "inventory.updated", "pet.status_changed"],
        ...["order.cancelled", "inventory.updated", "pet.status_changed"]
      ]
    )
  },
  "a listener is called with one event at a time, in order": async (petstore) => {
    let running = 0
    const { heard, seqs, untilHandled } = await listening(petstore, {}, async ({ seq }) => {
      same(++running, 1, "the calls at once")
      await petstore.events.list({ limit: 1 + (seq % 3) })
      running--
    })
    await Promise.all([categories(petstore, 20), petOf(petstore, 2), petOf(petstore, 3)])
    await untilHandled(await petstore.events.latest())
    same(seqs(), from(1, heard.length))
  },
  "a slow listener holds up neither commands nor other listeners, and misses nothing": async (petstore) => {
    const { open, opened } = gate()
    const slow = await listening(petstore, {}, () => opened)
    const quick = await listening(petstore)
    await categories(petstore, 30)
    await quick.untilHandled(30)
    same(slow.seqs(), [1])
    open()
    await slow.untilHandled(30)
    same(slow.seqs(), from(1, 30))
  },
  "a listener goes on behind the seq that is given": async (petstore) => {
    await categories(petstore, 5)
    const all = await listening(petstore, { after: 0 })
    const some = await listening(petstore, { after: 3 })
    const future = await listening(petstore, { after: 7 })
    await categories(petstore, 4)
    for (const { untilHandled } of [all, some, future]) await untilHandled(9)
    same(all.seqs(), from(1, 9))
    same(some.seqs(), from(4, 9))
    same(future.seqs(), [8, 9])
  },
  "a listener catches up over many pages of the log": async (petstore) => {
    await categories(petstore, 230)
    const { seqs, untilHandled } = await listening(petstore, { after: 0 })
    await untilHandled(230)
    same(seqs(), from(1, 230))
  },
  "a subscription tells how far it has come, so that another goes on there": async (petstore) => {
    await categories(petstore, 3)
    const first = await listening(petstore)
    same(first.subscription.position, 3)
    await categories(petstore, 2)
    await first.untilHandled(5)
    first.subscription.close()
    await categories(petstore, 2)
    const second = await listening(petstore, { after: first.subscription.position })
    await categories(petstore, 1)
    await second.untilHandled(8)
    same([first.seqs(), second.seqs()], [from(4, 5), from(6, 8)])
  },
  "a listener of some types hears of no others, and its position passes them": async (petstore) => {
    const orders = await listening(petstore, { types: ["order.placed", "order.cancelled"] })
    const petId = await petOf(petstore, 2)
    const id = await orderOf(petstore, petId)
    await petstore.orders.cancel(id)
    await orders.untilHandled(await petstore.events.latest())
    same(
      orders.heard.map(({ type, data }) => [type, data.id]),
      [
        ["order.placed", id],
        ["order.cancelled", id]
      ]
    )
    await category(petstore)
    await orders.untilHandled(await petstore.events.latest())
    same(orders.heard.length, 2)
  },
  "what a listener does to an event, no other sees": async (petstore) => {
    const change = (event: Event) => Object.assign(event.data, { id: unknown })
    const one = await listening(petstore, {}, change)
    const other = await listening(petstore)
    await categories(petstore, 1)
    await Promise.all([one.untilHandled(1), other.untilHandled(1)])
    same(other.heard, await log(petstore))
  },
  "a failure of a listener goes to onError with its event, and the next event comes": async (petstore) => {
    const failures: Array<unknown> = []
    const onError = (error: unknown, event: Event | undefined) => failures.push([error, event?.seq])
    const { seqs, untilHandled } = await listening(petstore, { onError }, ({ seq }) => {
      if (seq === 1) throw "thrown"
      if (seq === 2) return Promise.reject("rejected")
    })
    const other = await listening(petstore)
    await categories(petstore, 3)
    await untilHandled(3)
    await other.untilHandled(3)
    same(failures, [
      ["thrown", 1],
      ["rejected", 2]
    ])
    same([seqs(), other.seqs()], [from(1, 3), from(1, 3)])
  },
  "a subscription that is closed in onError stays before the event that failed": async (petstore) => {
    const onError = (): void => failing.subscription.close()
    const failing = await listening(petstore, { onError }, ({ seq }) => {
      if (seq === 2) throw new Error("no")
    })
    const other = await listening(petstore)
    await categories(petstore, 4)
    await other.untilHandled(4)
    await until(() => failing.heard.length === 2)
    same(failing.subscription.position, 1)
    const again = await listening(petstore, { after: failing.subscription.position })
    await again.untilHandled(4)
    same([failing.seqs(), again.seqs()], [from(1, 2), from(2, 4)])
  },
  "a subscription that is closed by its listener calls it no more, and its event counts": async (petstore) => {
    const closing = await listening(petstore, {}, ({ seq }) => {
      if (seq !== 3) return
      closing.subscription.close()
      closing.subscription.close()
    })
    const other = await listening(petstore)
    await categories(petstore, 9)
    await Promise.all([closing.untilHandled(3), other.untilHandled(9)])
    closing.subscription.close()
    await categories(petstore, 1)
    await other.untilHandled(10)
    same(closing.seqs(), from(1, 3))
    same(closing.subscription.position, 3)
  },
  "a call that has begun when its subscription closes goes on, and counts": async (petstore) => {
    const { open, opened } = gate()
    const { heard, subscription, untilHandled } = await listening(petstore, {}, () => opened)
    await categories(petstore, 2)
    await until(() => heard.length === 1)
    subscription.close()
    same(subscription.position, 0)
    open()
    await untilHandled(1)
    same(heard.length, 1)
  },
  "a subscription is closed when it is disposed of, and by its signal": async (petstore) => {
    const leave = new AbortController()
    const bySignal = await listening(petstore, { signal: leave.signal })
    const byDisposal = await listening(petstore)
    const other = await listening(petstore)
    await categories(petstore, 1)
    for (const { untilHandled } of [bySignal, byDisposal, other]) await untilHandled(1)
    byDisposal.subscription[Symbol.dispose]()
    leave.abort()
    await categories(petstore, 1)
    await other.untilHandled(2)
    same([bySignal.seqs(), byDisposal.seqs(), other.seqs()], [[1], [1], [1, 2]])
  },
  "a subscription whose signal is raised already rejects with the reason": async (petstore) => {
    const reason = new Error("The host is stopping")
    const error = await thrownBy(() => listening(petstore, { signal: AbortSignal.abort(reason) }))
    same(error === reason, true, "the reason is the signal's")
  },
  "a listener can give commands, and hears of what they do": async (petstore) => {
    const { heard, untilHandled } = await listening(petstore, {}, async (event) => {
      if (event.type === "category.created") {
        await petstore.pets.create({ name: "Rex", categoryId: event.data.id })
      } else if (event.type === "pet.created") {
        await petstore.orders.place({ petId: event.data.id, complete: true })
      }
    })
    await category(petstore)
    await until(() => heard.at(-1)?.type === "pet.status_changed")
    await untilHandled(7)
    same(heard.map(({ type }) => type).slice(0, 5), [
      ...["category.created", "pet.created", "inventory.updated", "order.placed", "order.completed"]
    ])
  },
  "a listener can close the petstore": async (petstore) => {
    const { open, opened } = gate()
    const { heard } = await listening(petstore, {}, async () => {
      await petstore.close()
      open()
    })
    await categories(petstore, 3)
    await opened
    same(heard.length, 1)
  },
  "closing a petstore ends its subscriptions and waits for no listener": async (petstore) => {
    const { open, opened } = gate()
    const endless = await listening(petstore, {}, () => new Promise(() => {}))
    const busy = await listening(petstore, {}, () => opened)
    const idle = await listening(petstore, { types: ["pet.deleted"] })
    await categories(petstore, 3)
    await until(() => endless.heard.length + busy.heard.length === 2)
    await petstore.close()
    open()
    await busy.untilHandled(1)
    same([endless.seqs(), busy.seqs(), idle.seqs()], [[1], [1], []])
    idle.subscription.close()
    await refused("shutting_down", listening(petstore))
    await refused("shutting_down", petstore.events.latest())
    await refused("shutting_down", collect(petstore.events.stream()))
  },
  "a subscription that is asked for while the petstore closes is refused or ends": async (petstore) => {
    const asked = listening(petstore)
    await petstore.close()
    const outcome = await asked.catch((error: unknown) => error)
    if (outcome instanceof Error) await refused("shutting_down", Promise.reject(outcome))
  },
  "a stream gives every event behind a seq, and those to come": async (petstore) => {
    await categories(petstore, 3)
    const seqs: Array<number> = []
    for await (const event of petstore.events.stream({ after: 1 })) {
      seqs.push(event.seq)
      if (event.seq === 3) await categories(petstore, 2)
      if (event.seq === 5) break
    }
    same(seqs, from(2, 5))
  },
  "a stream of some types gives no others": async (petstore) => {
    const petId = await petOf(petstore, 1)
    for await (const event of petstore.events.stream({ after: 0, types: ["pet.created"] })) {
      same(event.data.id, petId)
      break
    }
  },
  "a stream without a seq begins when the loop does": async (petstore) => {
    await categories(petstore, 2)
    const events = petstore.events.stream()[Symbol.asyncIterator]()
    let first: number | undefined
    const next = events.next().then(({ value }) => {
      first = value.seq
    })
    for (; first === undefined; await othersTurn()) await categories(petstore, 1)
    await next
    holds(first > 2, `${first} is not of the events before`)
    await events.return?.()
  },
  "a stream that waits ends when it is left": async (petstore) => {
    const events = petstore.events.stream()[Symbol.asyncIterator]()
    const waiting = events.next()
    await petstore.events.latest()
    same(await events.return?.(), { done: true, value: undefined })
    same((await waiting).done, true)
    same((await events.next()).done, true)
  },
  "a stream ends when the petstore closes": async (petstore) => {
    await categories(petstore, 3)
    const seqs: Array<number> = []
    for await (const event of petstore.events.stream({ after: 0 })) {
      seqs.push(event.seq)
      if (event.seq === 2) await petstore.close()
    }
    same(seqs, [1, 2])
  },
  "a stream that waits ends when the petstore closes": async (petstore) => {
    const waiting = petstore.events.stream()[Symbol.asyncIterator]().next()
    await petstore.close()
    same((await waiting).done, true)
  },
  "a stream that is given up rejects with the reason": async (petstore) => {
    await categories(petstore, 3)
    const leave = new AbortController()
    const reason = new Error("The customer left")
    const follow = async () => {
      for await (const { seq } of petstore.events.stream({ after: 0 }, leave)) if (seq === 2) leave.abort(reason)
    }
    same((await thrownBy(follow)) === reason, true, "the reason is the signal's")
    same((await thrownBy(follow)) === reason, true, "the reason is the signal's")
  },
  "a place or type of events that cannot be is refused": async (petstore) => {
    for (const after of [-1, 1.5, Number.NaN, untyped("1")]) {
      await invalid(listening(petstore, { after }), "/query/after")
      await invalid(collect(petstore.events.stream({ after })), "/query/after")
    }
    await invalid(listening(petstore, { types: [] }), "/query/types")
    await invalid(listening(petstore, { types: [untyped("pet.sold")] }), "/query/types/0")
    await invalid(listening(petstore, untyped({ type: "pet.created" })), "/query/type")
  },
  "what is no listener is refused with what to do": async (petstore) => {
    const wrong: ReadonlyArray<readonly [unknown, unknown, RegExp]> = [
      [undefined, {}, /function that is called with each event/],
      [{ next: () => {} }, {}, /function that is called with each event/],
      [() => {}, null, /object of options/],
      [() => {}, "pet.created", /object of options/],
      [() => {}, { onError: "log" }, /onError takes a function/]
    ]
    for (const [listener, options, message] of wrong) {
      const error = await thrownBy(() => petstore.events.subscribe(untyped(listener), untyped(options)))
      holds(error instanceof TypeError && message.test(error.message), `${error} says ${message}`)
    }
  },
  "what is committed while a subscription begins is heard of once or lies before it": async (petstore) => {
    for (const round of from(1, 40)) {
      const writing = from(1, 3).map(() => category(petstore))
      if (round % 2 === 0) await writing[0]
      for (let turns = 0; turns < round % 5; turns++) await Promise.resolve()
      const { heard, seqs, subscription, untilHandled } = await listening(petstore)
      const begun = subscription.position
      await Promise.all(writing)
      await untilHandled(await petstore.events.latest())
      subscription.close()
      same(seqs(), from(begun + 1, begun + heard.length))
      same(subscription.position, round * 3)
    }
  },
  "many listeners that begin and end while others write hear all in between, each once": async (petstore) => {
    const writing = Promise.all(
      from(1, 4).map(async () => {
        for (let n = 0; n < 25; n++) await category(petstore)
      })
    )
    const listeners = await Promise.all(
      from(1, 20).map(async (n) => {
        for (let turns = 0; turns < n; turns++) await petstore.events.latest()
        const after = n % 3 === 0 ? undefined : n % 3 === 1 ? 0 : await petstore.events.latest()
        const listener = await listening(petstore, { after })
        return { ...listener, begun: listener.subscription.position }
      })
    )
    await writing
    for (const { begun, heard, seqs, untilHandled } of listeners) {
      await untilHandled(100)
      same(seqs(), from(begun + 1, 100))
      same(heard.length, 100 - begun)
    }
  }
})
