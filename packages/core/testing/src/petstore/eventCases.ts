import type { Petstore, PetstoreApi } from "@petstore/core"
import type { Event } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { allWith, embeddedGroup } from "./embeddedGroup.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { collect, seqsOf, typesOf } from "./inspect.ts"
import { recordEvents, waitUntil, yieldToOthers } from "./recordEvents.ts"
import { reasonOf, rejectsAs, rejectsInput, rejectsWith } from "./rejections.ts"

const log = (petstore: PetstoreApi): Promise<ReadonlyArray<Event>> => collect(petstore.events.all({ limit: 100 }))

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Writes events, one with each category. */
const categories = async (petstore: PetstoreApi, count: number): Promise<void> => {
  await Promise.all(from(1, count).map(() => category(petstore)))
}

/** A promise, and how to keep it. */
const gate = () => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

export const eventCases = petstoreCases("events", {
  "events are selected by their time": async (petstore) => {
    await categories(petstore, 5)
    const events = await log(petstore)
    const times = [
      ...new Set(events.map(({ timestamp }) => timestamp)),
      "2001-01-01T00:00:00.000Z",
      "2999-01-01T00:00:00.000Z"
    ]
    for (const since of [undefined, ...times]) {
      for (const until of [undefined, ...times]) {
        const expected = events.filter(
          ({ timestamp }) => (since ?? timestamp) <= timestamp && (until === undefined || timestamp < until)
        )
        const query = { limit: 2, ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
        assertEqual(await collect(petstore.events.all(query)), expected, `${since} to ${until}`)
      }
    }
    await rejectsInput(petstore.events.list({ since: "yesterday" }), "/query/since")
  },
  "an empty petstore has no events": async (petstore) => {
    assertEqual(await petstore.events.latest(), 0)
    assertEqual(await petstore.events.list(), { items: [] })
    assertEqual(await log(petstore), [])
  },
  "events are listed in commit order, numbered from 1": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const orderId = await orderOf(petstore, petId)
    const events = await log(petstore)
    assertEqual(events.map(({ type, subject }) => `${type} ${subject}`).slice(-3), [
      `order.placed orders/${orderId}`,
      `inventory.updated inventory/${petId}`,
      `pet.status_changed pets/${petId}`
    ])
    assertEqual(seqsOf(events), from(1, events.length))
    assertEqual(await petstore.events.latest(), events.length)
  },
  "a listener receives every event from now on, as it is listed": async (petstore) => {
    await category(petstore)
    const { received, untilHandled } = await recordEvents(petstore)
    const petId = await petOf(petstore, 3)
    await petstore.orders.complete(await orderOf(petstore, petId))
    const events = await log(petstore)
    await untilHandled(events.length)
    assertEqual(received, events.slice(1))
  },
  "events are delivered after the commit": async (petstore) => {
    const seqs: Array<number> = []
    const { untilHandled } = await recordEvents(petstore, { types: ["order.placed"] }, async ({ data }) => {
      seqs.push((await petstore.orders.get(data.id)).id)
    })
    const petId = await petOf(petstore, 9)
    const placed = await Promise.all(from(1, 5).map(() => orderOf(petstore, petId)))
    await untilHandled(await petstore.events.latest())
    assertEqual(seqs.toSorted(), placed.toSorted())
  },
  "rejected, no-op and repeated commands cause no event": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const { received, untilHandled } = await recordEvents(petstore)
    const key = { idempotencyKey: "once" }
    const { id } = await petstore.orders.place({ petId }, key)
    await petstore.orders.place({ petId }, key)
    await rejectsWith("unknown_pet", petstore.orders.place({ petId: unknown }), { petId: unknown })
    await petstore.pets.update(petId, { name: "Rex" })
    await petstore.orders.cancel(id)
    await untilHandled(await petstore.events.latest())
    assertEqual(typesOf(received), [
      ...["order.placed", "inventory.updated", "pet.status_changed"],
      ...["order.cancelled", "inventory.updated", "pet.status_changed"]
    ])
  },
  "a listener is called with one event at a time, in order": async (petstore) => {
    let running = 0
    const { received, seqs, untilHandled } = await recordEvents(petstore, {}, async ({ seq }) => {
      assertEqual(++running, 1, "the calls at once")
      await petstore.events.list({ limit: 1 + (seq % 3) })
      running--
    })
    await Promise.all([categories(petstore, 20), petOf(petstore, 2), petOf(petstore, 3)])
    await untilHandled(await petstore.events.latest())
    assertEqual(seqs(), from(1, received.length))
  },
  "a slow listener delays neither commands nor other listeners, and misses nothing": async (petstore) => {
    const { open, opened } = gate()
    const slow = await recordEvents(petstore, {}, () => opened)
    const quick = await recordEvents(petstore)
    await categories(petstore, 30)
    await quick.untilHandled(30)
    await waitUntil(() => slow.received.length > 0)
    assertEqual(slow.seqs(), [1])
    open()
    await slow.untilHandled(30)
    assertEqual(slow.seqs(), from(1, 30))
  },
  "a listener continues after the given seq, over many pages of the log": async (petstore) => {
    await categories(petstore, 230)
    const listeners = [0, 3, 229, 232].map((after) => recordEvents(petstore, { after }))
    const [all, some, last, future] = await Promise.all(listeners)
    await categories(petstore, 4)
    for (const listener of [all, some, last, future]) await listener?.untilHandled(234)
    assertEqual([all?.seqs(), some?.seqs()], [from(1, 234), from(4, 234)])
    assertEqual([last?.seqs(), future?.seqs()], [from(230, 234), from(233, 234)])
  },
  "a subscription reports its position, so that another can continue there": async (petstore) => {
    await categories(petstore, 3)
    const first = await recordEvents(petstore)
    assertEqual(first.subscription.position, 3)
    await categories(petstore, 2)
    await first.untilHandled(5)
    first.subscription.close()
    await categories(petstore, 2)
    const second = await recordEvents(petstore, { after: first.subscription.position })
    await categories(petstore, 1)
    await second.untilHandled(8)
    assertEqual([first.seqs(), second.seqs()], [from(4, 5), from(6, 8)])
  },
  "a listener of some types, or of one subject, receives no others, and its position passes them": async (petstore) => {
    const orders = await recordEvents(petstore, { types: ["order.placed", "order.cancelled"] })
    const petId = await petOf(petstore, 2)
    const ofPet = await recordEvents(petstore, { subject: `inventory/${petId}` })
    const id = await orderOf(petstore, petId)
    await petstore.orders.cancel(id)
    await categories(petstore, 3)
    const latest = await petstore.events.latest()
    for (const { untilHandled } of [orders, ofPet]) await untilHandled(latest)
    const received = orders.received.map(({ type, data }) => `${type} ${data.id}`)
    assertEqual(received, [`order.placed ${id}`, `order.cancelled ${id}`])
    const about = (await log(petstore)).filter(({ subject }) => subject === `inventory/${petId}`)
    assertEqual(ofPet.received, about.slice(-2))
  },
  "a change that a listener makes to an event is not visible to others": async (petstore) => {
    const change = (event: Event) => Object.assign(event.data, { id: unknown })
    // It may also be refused, with a TypeError.
    const one = await recordEvents(petstore, { onError: () => {} }, change)
    const other = await recordEvents(petstore)
    await categories(petstore, 1)
    await Promise.all([one.untilHandled(1), other.untilHandled(1)])
    assertEqual(other.received, await log(petstore))
  },
  "an error of a listener is passed to onError with its event, and the next event follows": async (petstore) => {
    const failures: Array<unknown> = []
    const onError = (error: unknown, event: Event | undefined) => failures.push([error, event?.seq])
    const { seqs, untilHandled } = await recordEvents(petstore, { onError }, ({ seq }) => {
      if (seq === 1) throw "thrown"
      if (seq === 2) return Promise.reject("rejected")
    })
    const other = await recordEvents(petstore)
    await categories(petstore, 3)
    await untilHandled(3)
    await other.untilHandled(3)
    assertEqual(failures, [
      ["thrown", 1],
      ["rejected", 2]
    ])
    assertEqual([seqs(), other.seqs()], [from(1, 3), from(1, 3)])
  },
  "a subscription that is closed in onError keeps its position before the event that failed": async (petstore) => {
    const onError = (): void => failing.subscription.close()
    const failing = await recordEvents(petstore, { onError }, ({ seq }) => {
      if (seq === 2) throw new Error("no")
    })
    const other = await recordEvents(petstore)
    await categories(petstore, 4)
    await other.untilHandled(4)
    await waitUntil(() => failing.received.length === 2)
    assertEqual(failing.subscription.position, 1)
    const again = await recordEvents(petstore, { after: failing.subscription.position })
    await again.untilHandled(4)
    assertEqual([failing.seqs(), again.seqs()], [from(1, 2), from(2, 4)])
  },
  "a subscription that its listener closes does not call it again, and counts the event as handled": async (
    petstore
  ) => {
    const closing = await recordEvents(petstore, {}, ({ seq }) => {
      if (seq !== 3) return
      closing.subscription.close()
      closing.subscription.close()
    })
    const other = await recordEvents(petstore)
    await categories(petstore, 9)
    await Promise.all([closing.untilHandled(3), other.untilHandled(9)])
    closing.subscription.close()
    await categories(petstore, 1)
    await other.untilHandled(10)
    assertEqual(closing.seqs(), from(1, 3))
    assertEqual(closing.subscription.position, 3)
  },
  "a listener call that runs while its subscription closes continues, and counts as handled": async (petstore) => {
    const { open, opened } = gate()
    const { received, subscription, untilHandled } = await recordEvents(petstore, {}, () => opened)
    await categories(petstore, 2)
    await waitUntil(() => received.length === 1)
    subscription.close()
    assertEqual(subscription.position, 0)
    open()
    await untilHandled(1)
    assertEqual(received.length, 1)
  },
  "a subscription is closed by disposing it, and by its signal": async (petstore) => {
    const leave = new AbortController()
    const bySignal = await recordEvents(petstore, { signal: leave.signal })
    const byDisposal = await recordEvents(petstore)
    const other = await recordEvents(petstore)
    await categories(petstore, 1)
    for (const { untilHandled } of [bySignal, byDisposal, other]) await untilHandled(1)
    byDisposal.subscription[Symbol.dispose]()
    leave.abort()
    await categories(petstore, 1)
    await other.untilHandled(2)
    assertEqual([bySignal.seqs(), byDisposal.seqs(), other.seqs()], [[1], [1], [1, 2]])
  },
  "a subscription whose signal is already aborted rejects with the reason": async (petstore) => {
    const reason = new Error("The host is stopping")
    await rejectsAs(reason, recordEvents(petstore, { signal: AbortSignal.abort(reason) }))
  },
  "a listener can run commands, and receives their events": async (petstore) => {
    const { received, untilHandled } = await recordEvents(petstore, {}, async (event) => {
      if (event.type === "category.created") {
        await petstore.pets.create({ name: "Rex", categoryId: event.data.id })
      } else if (event.type === "pet.created") {
        await petstore.orders.place({ petId: event.data.id, complete: true })
      }
    })
    await category(petstore)
    await waitUntil(() => received.at(-1)?.type === "pet.status_changed")
    await untilHandled(7)
    assertEqual(typesOf(received).slice(0, 5), [
      ...["category.created", "pet.created", "inventory.updated", "order.placed", "order.completed"]
    ])
  },
  "a stream returns every event after a seq, and new ones, or those of some types alone": async (petstore) => {
    await categories(petstore, 3)
    const seqs: Array<number> = []
    for await (const event of petstore.events.stream({ after: 1 })) {
      seqs.push(event.seq)
      if (event.seq === 3) await categories(petstore, 2)
      if (event.seq === 5) break
    }
    assertEqual(seqs, from(2, 5))
    const petId = await petOf(petstore, 1)
    for await (const event of petstore.events.stream({ after: 0, types: ["pet.created"] })) {
      assertEqual(event.data.id, petId)
      break
    }
  },
  "a stream without a seq starts with the loop": async (petstore) => {
    await categories(petstore, 2)
    const events = petstore.events.stream()[Symbol.asyncIterator]()
    let first: number | undefined
    const next = events.next().then(({ value }) => {
      first = value.seq
    })
    for (; first === undefined; await yieldToOthers()) await categories(petstore, 1)
    await next
    assertTrue(first > 2, `${first} is not of the events before`)
    await events.return?.()
  },
  "a stream that waits ends when its loop does": async (petstore) => {
    const events = petstore.events.stream()[Symbol.asyncIterator]()
    const waiting = events.next()
    await petstore.events.latest()
    assertEqual(await events.return?.(), { done: true, value: undefined })
    assertEqual((await waiting).done, true)
    assertEqual((await events.next()).done, true)
  },
  "a stream that is cancelled rejects with the reason": async (petstore) => {
    await categories(petstore, 3)
    const leave = new AbortController()
    const reason = new Error("The customer left")
    const follow = async () => {
      for await (const { seq } of petstore.events.stream({ after: 0 }, leave)) if (seq === 2) leave.abort(reason)
    }
    for (let times = 0; times < 2; times++) await rejectsAs(reason, follow())
  },
  "an invalid position or event type is rejected": async (petstore) => {
    for (const after of [-1, 1.5, Number.NaN, untyped("1")]) {
      await rejectsInput(recordEvents(petstore, { after }), "/query/after")
      await rejectsInput(collect(petstore.events.stream({ after })), "/query/after")
    }
    await rejectsInput(recordEvents(petstore, { types: [] }), "/query/types")
    await rejectsInput(recordEvents(petstore, { types: [untyped("pet.sold")] }), "/query/types/0")
    await rejectsInput(recordEvents(petstore, untyped({ type: "pet.created" })), "/query/type")
  },
  "a value that is not a listener is rejected with what to do": async (petstore) => {
    const wrong: ReadonlyArray<readonly [unknown, unknown, RegExp]> = [
      [undefined, {}, /function that is called with each event/],
      [{ next: () => {} }, {}, /function that is called with each event/],
      [() => {}, null, /object of options/],
      [() => {}, "pet.created", /object of options/],
      [() => {}, { onError: "log" }, /onError takes a function/]
    ]
    for (const [listener, options, message] of wrong) {
      const subscribe = async () => petstore.events.subscribe(untyped(listener), untyped(options))
      const error = await reasonOf(subscribe())
      assertTrue(error instanceof TypeError && message.test(error.message), `${error} says ${message}`)
    }
  },
  "an event that is committed while a subscription starts is delivered once or lies before it": async (petstore) => {
    for (const round of from(1, 40)) {
      const writing = from(1, 3).map(() => category(petstore))
      if (round % 2 === 0) await writing[0]
      for (let turns = 0; turns < round % 5; turns++) await Promise.resolve()
      const { received, seqs, subscription, untilHandled } = await recordEvents(petstore)
      const begun = subscription.position
      await Promise.all(writing)
      await untilHandled(await petstore.events.latest())
      subscription.close()
      assertEqual(seqs(), from(begun + 1, begun + received.length))
      assertEqual(subscription.position, round * 3)
    }
  },
  "listeners that start and end while others write receive each event in between once": async (petstore) => {
    const writing = Promise.all(
      from(1, 4).map(async () => {
        for (let n = 0; n < 25; n++) await category(petstore)
      })
    )
    const listeners = await Promise.all(
      from(1, 20).map(async (n) => {
        for (let turns = 0; turns < n; turns++) await petstore.events.latest()
        const after = n % 3 === 0 ? undefined : n % 3 === 1 ? 0 : await petstore.events.latest()
        const listener = await recordEvents(petstore, { after })
        return { ...listener, begun: listener.subscription.position }
      })
    )
    await writing
    for (const { begun, received, seqs, untilHandled } of listeners) {
      await untilHandled(100)
      assertEqual(seqs(), from(begun + 1, 100))
      assertEqual(received.length, 100 - begun)
    }
  },
  "a list of events is filtered by position, types and subject": async (petstore) => {
    const petId = await petOf(petstore, 2)
    const first = await petstore.events.latest()
    const orderId = await orderOf(petstore, petId)
    await petstore.orders.cancel(orderId)
    const all = await log(petstore)
    const select = async (query: Parameters<typeof petstore.events.all>[0]) =>
      seqsOf(await collect(petstore.events.all(query)))
    const where = (isWanted: (event: Event) => boolean) => seqsOf(all.filter(isWanted))
    const ofOrder = where(({ subject }) => subject === `orders/${orderId}`)
    const [ofPet, ofTypes] = [`inventory/${petId}`, ["order.placed", "order.cancelled"] as const]
    const expected: ReadonlyArray<readonly [Parameters<typeof select>[0], ReadonlyArray<number>]> = [
      [{ after: first }, where(({ seq }) => seq > first)],
      [{ after: all.length + 5 }, []],
      [{ subject: `orders/${orderId}` }, ofOrder],
      [{ types: ofTypes, limit: 1 }, ofOrder],
      [{ types: ["pet.deleted"] }, []],
      [
        { types: ["inventory.updated"], subject: ofPet, after: first, limit: 1 },
        where(({ seq, subject }) => subject === ofPet && seq > first)
      ],
      [{ subject: "messages/msg_1" }, []],
      [{ subject: "pets/9999" }, []]
    ]
    for (const [query, seqs] of expected) assertEqual(await select(query), seqs, JSON.stringify(query))
    const { next: cursor = "" } = await petstore.events.list({ types: ["inventory.updated"], limit: 1 })
    await rejectsWith("invalid_cursor", petstore.events.list({ types: ["pet.created"], cursor }))
    await rejectsWith("invalid_cursor", petstore.categories.list({ cursor }))
    await rejectsInput(petstore.events.list({ limit: 101 }), "/query/limit")
    await rejectsInput(petstore.events.list({ after: -1 }), "/query/after")
    const wrong = "7 dogs/1 pets pets/ pets/0 pets/01 pets/a Pets/1 pets/1/1 messages/1"
    for (const subject of wrong.split(" ")) {
      await rejectsInput(petstore.events.list({ subject }), "/query/subject")
      await rejectsInput(recordEvents(petstore, { subject }), "/query/subject")
    }
    await rejectsInput(petstore.events.list({ types: [untyped("pet.sold")] }), "/query/types/0")
  }
})

/** What closing a petstore does to those who follow its events. */
export const closingEventCases = petstoreCases<Petstore>("events", {
  "a listener can close the petstore": async (petstore) => {
    const { open, opened } = gate()
    const { received } = await recordEvents(petstore, {}, async () => {
      await petstore.close()
      open()
    })
    await categories(petstore, 3)
    await opened
    assertEqual(received.length, 1)
  },
  "closing a petstore ends its subscriptions without waiting for listeners": async (petstore) => {
    const { open, opened } = gate()
    const endless = await recordEvents(petstore, {}, () => new Promise(() => {}))
    const busy = await recordEvents(petstore, {}, () => opened)
    const idle = await recordEvents(petstore, { types: ["pet.deleted"] })
    await categories(petstore, 3)
    await waitUntil(() => endless.received.length + busy.received.length === 2)
    await petstore.close()
    open()
    await busy.untilHandled(1)
    assertEqual([endless.seqs(), busy.seqs(), idle.seqs()], [[1], [1], []])
    idle.subscription.close()
    await rejectsWith("shutting_down", recordEvents(petstore))
    await rejectsWith("shutting_down", petstore.events.latest())
    await rejectsWith("shutting_down", collect(petstore.events.stream()))
  },
  "a subscription that starts while the petstore closes is rejected or ends": async (petstore) => {
    const asked = recordEvents(petstore)
    await petstore.close()
    const outcome = await asked.catch((error: unknown) => error)
    if (outcome instanceof Error) await rejectsWith("shutting_down", Promise.reject(outcome))
  },
  "a stream ends when the petstore closes": async (petstore) => {
    await categories(petstore, 3)
    const seqs: Array<number> = []
    for await (const event of petstore.events.stream({ after: 0 })) {
      seqs.push(event.seq)
      if (event.seq === 2) await petstore.close()
    }
    assertEqual(seqs, [1, 2])
  },
  "a stream that waits ends when the petstore closes": async (petstore) => {
    const waiting = petstore.events.stream()[Symbol.asyncIterator]().next()
    await petstore.close()
    assertEqual((await waiting).done, true)
  }
})

/** What subscriptions promise where a database has several petstores. */
export const sharedEventCases = embeddedGroup(
  "events of several petstores",
  allWith(
    { needsAnother: true },
    {
      "a listener receives the events of another petstore on the database": async (petstore, { another }) => {
        const { received, untilHandled } = await recordEvents(petstore)
        await orderOf(another, await petOf(another, 3))
        await untilHandled(await another.events.latest())
        assertEqual(received, await collect(another.events.all()))
      },
      "listeners of two petstores that write concurrently receive the same events in the same order": async (
        petstore,
        { another }
      ) => {
        const listeners = [await recordEvents(petstore), await recordEvents(another)]
        await Promise.all(Array.from({ length: 60 }, (_, index) => category(index % 2 === 0 ? petstore : another)))
        for (const { untilHandled } of listeners) await untilHandled(60)
        const events = await collect(petstore.events.all())
        for (const { received } of listeners) assertEqual(received, events)
      },
      "closing one petstore keeps the listeners of another": async (petstore, { another }) => {
        const ending = await recordEvents(another)
        const staying = await recordEvents(petstore)
        await another.close()
        await category(petstore)
        await staying.untilHandled(1)
        assertEqual([ending.seqs(), staying.seqs()], [[], [1]])
      }
    }
  )
)
