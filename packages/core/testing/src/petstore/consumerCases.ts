import type { ConsumeOptions, EventAttempt, Petstore } from "@petstore/core"
import type { Event, EventType } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { allWith, type EmbeddedBody, embeddedGroup } from "./embeddedGroup.ts"
import { category } from "./given.ts"
import { collect } from "./inspect.ts"
import { assertTypeError, rejectsInput, rejectsWith } from "./rejections.ts"
import type { Wait } from "./waiting.ts"

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Writes events, one with each category. */
const add = async (petstore: Petstore, count: number): Promise<void> => {
  for (const _ of from(1, count)) await category(petstore)
}

/** Opens the consumer `invoices`, and records the events that it handles. */
const consuming = async <const T extends EventType = EventType>(
  petstore: Petstore,
  wait: Wait,
  options: ConsumeOptions<T> = {},
  handle: (event: Event<T>, attempt: EventAttempt) => unknown = () => {}
) => {
  const handled: Array<number> = []
  const consumer = await petstore.events.consume<T>(
    "invoices",
    async (event, attempt) => {
      await handle(event, attempt)
      handled.push(event.seq)
    },
    options
  )
  return { consumer, handled, until: (count: number) => wait(() => handled.length >= count) }
}

/** Parks the events with an odd number of a consumer. */
const parking = async (petstore: Petstore, wait: Wait) => {
  const failures: Array<string> = []
  let isBroken = true
  const { consumer, until } = await consuming(
    petstore,
    wait,
    { after: 0, parkAfter: 1, onError: (error, event) => failures.push(`${event?.seq} ${error}`) },
    ({ seq }) => {
      if (seq % 2 === 1 && isBroken) throw new Error("poison")
    }
  )
  return { consumer, failures, until, mend: () => (isBroken = false) }
}

const bodies: Readonly<Record<string, EmbeddedBody>> = {
  "a consumer handles the events after `after` and those that follow, in order": async (petstore, { wait }) => {
    await add(petstore, 3)
    const { consumer, handled, until } = await consuming(petstore, wait, { after: 1 })
    await until(2)
    await add(petstore, 2)
    await until(4)
    assertEqual(handled, from(2, 5))
    await consumer.close()
  },
  "a new consumer begins now, and goes on where it was closed": async (petstore, { wait }) => {
    await add(petstore, 2)
    const first = await consuming(petstore, wait)
    await add(petstore, 2)
    await first.until(2)
    await first.consumer.close()
    await add(petstore, 2)
    const second = await consuming(petstore, wait, { after: 0 })
    await second.until(2)
    assertEqual([first.handled, second.handled], [from(3, 4), from(5, 6)])
  },
  "a consumer with concurrency handles events of several subjects at the same time, and those of one in order": async (
    petstore,
    { wait }
  ) => {
    const [slow, fast] = [await category(petstore), await category(petstore)]
    for (const description of ["one", "two"]) {
      for (const id of [slow, fast]) await petstore.categories.update(id, { description })
    }
    let isOpen = false
    const { consumer, handled, until } = await consuming(petstore, wait, { after: 0, concurrency: 2 }, ({ subject }) =>
      subject === `categories/${slow}` ? wait(() => isOpen) : undefined
    )
    await until(3)
    assertEqual([...handled], [2, 4, 6], "the events of one subject, while the first event of the other is handled")
    assertEqual((await petstore.events.consumers.get("invoices")).position, 0)
    isOpen = true
    await until(6)
    assertEqual([...handled], [2, 4, 6, 1, 3, 5])
    await consumer.close()
    assertEqual((await petstore.events.consumers.get("invoices")).position, 6)
  },
  "a consumer with concurrency that is closed goes on behind the first event that is not handled": async (
    petstore,
    { wait }
  ) => {
    await add(petstore, 5)
    const options = { after: 0, concurrency: 3, onError: () => {} }
    const first = await consuming(petstore, wait, options, async ({ seq }) => {
      if (seq !== 2) return
      await wait(() => first.handled.length >= 2)
      throw new Error("not yet")
    })
    await wait(async () => (await petstore.events.consumers.get("invoices")).attempts >= 1)
    await first.consumer.close()
    assertEqual((await petstore.events.consumers.get("invoices")).position, 1)
    const second = await consuming(petstore, wait, options)
    await second.until(4)
    assertEqual([...second.handled].sort(), from(2, 5))
    await second.consumer.close()
  },
  "a consumer waits for its handler, and closing waits for it too": async (petstore, { wait }) => {
    await add(petstore, 3)
    let isOpen = false
    const { consumer, handled } = await consuming(petstore, wait, { after: 0 }, () => wait(() => isOpen))
    let isClosed = false
    await wait(() => true)
    const closing = consumer.close().then(() => {
      isClosed = true
    })
    await category(petstore)
    assertTrue(!isClosed || handled.length === 0, "closing waits for the handler")
    isOpen = true
    await closing
    await consumer.close()
    assertTrue(handled.length <= 1, "no event follows the close")
    const { lease, position } = await petstore.events.consumers.get("invoices")
    assertEqual([position, lease], [handled.length, undefined])
  },
  "a handler that throws gets the event again, with the number of the attempt": async (petstore, { wait }) => {
    await add(petstore, 2)
    const attempts: Array<ReadonlyArray<number>> = []
    const failures: Array<unknown> = []
    let isRead = false
    const onError: ConsumeOptions["onError"] = (error, event, failure) => {
      failures.push([error, event?.seq, failure?.attempt, failure?.parked])
    }
    const { until } = await consuming(petstore, wait, { after: 0, onError }, async ({ seq }, { attempt, signal }) => {
      assertEqual(signal.aborted, false)
      attempts.push([seq, attempt])
      if (attempts.length === 1) throw "no paper"
      await wait(() => isRead)
    })
    await wait(() => failures.length === 1)
    const failed = await petstore.events.consumers.get("invoices")
    assertEqual([failed.position, failed.attempts, failed.lastError?.message], [0, 1, "no paper"])
    isRead = true
    await until(2)
    assertEqual(attempts, [
      [1, 1],
      [1, 2],
      [2, 1]
    ])
    assertEqual(failures, [["no paper", 1, 1, false]])
  },
  "an event that fails too often is parked, and handled when it is replayed": async (petstore, { wait }) => {
    const { consumers } = petstore.events
    await add(petstore, 4)
    const { consumer, failures, mend, until } = await parking(petstore, wait)
    await until(2)
    assertEqual(failures, ["1 Error: poison", "3 Error: poison"])
    const page = await consumers.parked("invoices", { limit: 1 })
    const next = page.next ?? ""
    const [first, second] = [...page.items, ...(await consumers.parked("invoices", { limit: 1, cursor: next })).items]
    assertEqual([first?.seq, first?.attempts, first?.error, first?.replaying], [1, 1, "poison", false])
    assertEqual(second?.seq, 3)
    mend()
    await consumers.discard("invoices", 1)
    await consumers.replay("invoices", 3)
    await until(3)
    await consumer.close()
    assertEqual(await consumers.parked("invoices"), { items: [] })
    await rejectsWith("not_found", consumers.replay("invoices", 3))
    await rejectsWith("not_found", consumers.discard("invoices", 1))
  },
  "consumers are listed by name, with their position and how far they are behind": async (petstore) => {
    const { consumers, consume } = petstore.events
    assertEqual(await consumers.list(), { items: [] })
    for (const name of ["invoices", "archive", "labels"]) {
      await (await consume(name, () => {}, { types: ["category.deleted"] })).close()
    }
    await add(petstore, 2)
    const { items, next: cursor = "" } = await consumers.list({ limit: 2 })
    assertEqual(
      items.map(({ attempts, lag, lease, name, position, types }) => [name, position, lag, attempts, lease, types]),
      ["archive", "invoices"].map((name) => [name, 0, 2, 0, undefined, ["category.deleted"]])
    )
    const [last, ...others] = (await consumers.list({ limit: 2, cursor })).items
    assertEqual([last?.name, others], ["labels", []])
  },
  "an open consumer shows who holds it": async (petstore, { wait }) => {
    const { consumer, until } = await consuming(petstore, wait, { after: 0 })
    await add(petstore, 1)
    await until(1)
    const { lease } = await petstore.events.consumers.get("invoices")
    assertTrue(lease !== undefined && lease.holder !== "", "there is a holder")
    await consumer.close()
  },
  "a consumer that is removed is gone with its parked events": async (petstore, { wait }) => {
    const { consumers } = petstore.events
    await add(petstore, 2)
    const { consumer, until } = await parking(petstore, wait)
    await until(1)
    await consumer.close()
    await consumers.remove("invoices")
    await rejectsWith("not_found", consumers.get("invoices"))
    await rejectsWith("not_found", consumers.parked("invoices"))
    await rejectsWith("not_found", consumers.remove("invoices"))
    assertEqual(await consumers.list(), { items: [] })
    const again = await consuming(petstore, wait, { after: 0 })
    await again.until(2)
    assertEqual(again.handled, [1, 2])
  },
  "a signal closes a consumer": async (petstore, { wait }) => {
    const controller = new AbortController()
    const { handled, until } = await consuming(petstore, wait, { after: 0, signal: controller.signal })
    await add(petstore, 1)
    await until(1)
    controller.abort()
    const other = await consuming(petstore, wait)
    await add(petstore, 2)
    await other.until(2)
    assertEqual([handled, other.handled], [[1], [2, 3]])
  },
  "a consumer ends with its petstore, and the signal of its handler is aborted": async (petstore, { wait }) => {
    await add(petstore, 2)
    let aborted = 0
    let begun = 0
    const { handled } = await consuming(petstore, wait, { after: 0 }, (_, { signal }) => {
      begun++
      signal.addEventListener("abort", () => aborted++)
      return new Promise(() => {})
    })
    await wait(() => begun === 1)
    await petstore.close()
    await wait(() => aborted === 1)
    assertEqual(handled, [])
    await rejectsWith(
      "shutting_down",
      petstore.events.consume("invoices", () => {})
    )
  },
  "events that are handled do not make a consumer write in a circle": async (petstore, { wait }) => {
    const { until } = await consuming(petstore, wait, { after: 0, types: ["category.created"] }, ({ data }) =>
      petstore.categories.update(data.id, { description: "seen" })
    )
    await add(petstore, 3)
    await until(3)
    assertEqual((await collect(petstore.events.all())).length, 6)
  },
  "invalid names, positions, types and options are rejected": async (petstore) => {
    const { consume, consumers } = petstore.events
    const ignore = () => {}
    for (const name of ["", "Invoices", "petstore:webhooks", "a b", "a".repeat(64)])
      await rejectsInput(consume(name, ignore), "/name")
    await rejectsInput(consume("invoices", ignore, { after: -1 }), "/query/after")
    await rejectsInput(consume("invoices", ignore, { types: [] }), "/query/types")
    await rejectsInput(consumers.get("Invoices"), "/consumerName")
    await rejectsInput(consumers.replay("invoices", 0), "/seq")
    for (const options of [{ parkAfter: 0 }, { timeout: -1 }]) {
      await assertTypeError(consume("invoices", ignore, options))
    }
    assertEqual(await consumers.list(), { items: [] })
  }
}

const shared: Readonly<Record<string, EmbeddedBody>> = {
  "of two petstores that consume one name, one handles events, and the other goes on when it closes": async (
    petstore,
    { another, wait }
  ) => {
    const first = await consuming(another, wait, { after: 0 })
    await add(petstore, 3)
    await first.until(3)
    const second = await consuming(petstore, wait, { after: 0 })
    await add(petstore, 3)
    await first.until(6)
    assertEqual(second.handled.length, 0)
    await another.close()
    await add(petstore, 2)
    await second.until(2)
    assertEqual([first.handled, second.handled], [from(1, 6), from(7, 8)])
  },
  "a parked event is replayed by another petstore": async (petstore, { another, wait }) => {
    await add(petstore, 1)
    const { consumer, mend, until } = await parking(petstore, wait)
    await wait(() => true)
    await add(petstore, 1)
    await until(1)
    mend()
    await another.events.consumers.replay("invoices", 1)
    await until(2)
    await consumer.close()
    assertEqual(await another.events.consumers.parked("invoices"), { items: [] })
  }
}

/** What consumers promise. Some of the cases close the petstore. */
export const consumerCases = embeddedGroup("consumers", allWith({ isChecked: false }, bodies))

/** What consumers promise where a database has several petstores. */
export const sharedConsumerCases = embeddedGroup(
  "consumers of several petstores",
  allWith({ needsAnother: true }, shared)
)
