import * as Effect from "effect/Effect"
import { assertEqual, assertTrue } from "../check.ts"
import { upTo } from "./atOnce.ts"
import { storageCases } from "./cases.ts"
import { heldOpen } from "./overlap.ts"
import { inTurn, refuse } from "./programs.ts"
import { addPet, at, givenCategory, newEvent } from "./rows.ts"
import type { TestedStore, TestedTransaction } from "./TestedStore.ts"
import { watching } from "./watching.ts"

/** Renames a pet and reports its new version; a part of a transaction. */
const change = function* (tx: TestedTransaction, id: number, by: string) {
  const pet = yield* tx.pets.lock(id)
  if (pet === undefined) throw new Error("The pet is gone")
  const version = pet.version + 1
  yield* tx.pets.save({ ...pet, name: by, version })
  yield* tx.events.append({
    id: `evt_${id}_${version}`,
    type: "pet.updated",
    subject: `pets/${id}`,
    timestamp: at(version),
    data: { id, name: by, categoryId: pet.categoryId, status: "available", version }
  })
}

/** Follows the log by its end, as a subscriber does, until it has a number of events. */
const follow = (store: TestedStore, count: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { until } = yield* watching(store)
      const read: Array<{ readonly seq: number; readonly id: string; readonly subject: string }> = []
      const next = Effect.gen(function* () {
        const page = yield* store.events.scan(read.at(-1)?.seq ?? 0, 7)
        read.push(...page)
        return page.length
      })
      const all = Effect.gen(function* () {
        while ((yield* next) > 0) yield* Effect.yieldNow
        return read.length
      })
      yield* until(all, (length) => length >= count)
      return read
    })
  )

export const eventOrderCases = storageCases("storage: events of overlapping transactions", {
  *"followers on two stores read every event once, without a gap, in the order in which each row changed"(
    store,
    { openAnother }
  ) {
    const another = yield* openAnother(store)
    const categoryId = yield* givenCategory(store)
    const pets = yield* Effect.forEach(upTo(4), () => store.run((tx) => addPet(tx, categoryId)))
    const writers = 8
    const changes = 12
    const write = (writer: number) => {
      const one = writer % 2 === 0 ? store : another
      return Effect.forEach(
        upTo(changes),
        (n) => {
          const id = pets[(writer * 7 + n * 5) % pets.length] ?? 0
          const changed = one.run((tx) => inTurn(change(tx, id, `${writer}`), n % 4 === 0 ? refuse() : inTurn()))
          return Effect.andThen(Effect.exit(changed), Effect.yieldNow)
        },
        { discard: true }
      )
    }
    const total = (writers * changes * 3) / 4
    const [first, second] = yield* Effect.all(
      [
        follow(store, total),
        follow(another, total),
        Effect.forEach(upTo(writers), write, { concurrency: "unbounded", discard: true })
      ],
      { concurrency: "unbounded" }
    )
    assertEqual(
      first.map(({ seq }) => seq),
      upTo(total),
      "the seqs that a follower read"
    )
    assertEqual(second, first, "what the other follower read")
    for (const id of pets) {
      const versions = first.filter(({ subject }) => subject === `pets/${id}`)
      assertEqual(
        versions.map((event) => event.id),
        versions.map((_, index) => `evt_${id}_${index + 2}`),
        "the versions of a pet along the log"
      )
    }
  },

  *"an event of a transaction that returned is counted by everyone who asks later"(store, { openAnother }) {
    const another = yield* openAnother(store)
    for (const n of upTo(12)) {
      const [one, other] = n % 2 === 0 ? [store, another] : [another, store]
      yield* one.run((tx) => tx.events.append(newEvent(n)))
      for (const asked of [other, one]) {
        assertEqual(yield* asked.events.latest, n, "the latest seq")
        assertEqual(
          (yield* asked.events.scan(0, 100)).map(({ id }) => id),
          upTo(n).map((each) => `evt_${each}`),
          "a page that is not full"
        )
        const inSnapshot = Effect.all([
          asked.events.latest,
          asked.events.scan(n - 1, 100),
          asked.events.find([n + 1, n, n])
        ])
        const [latest, last, events] = yield* asked.snapshot(inSnapshot)
        assertEqual([latest, last.map(({ seq }) => seq)], [n, [n]], "the end of the log in a snapshot")
        assertEqual(events, last, "the last event by its number in a snapshot")
      }
    }
  },

  *"concurrent transactions that returned are counted by everyone who asks then"(store, { openAnother }) {
    const another = yield* openAnother(store)
    let returned = 0
    yield* Effect.forEach(
      upTo(40),
      (n) =>
        Effect.gen(function* () {
          const [one, other] = n % 2 === 0 ? [store, another] : [another, store]
          yield* one.run((tx) => tx.events.append(newEvent(n)))
          const before = ++returned
          const latest = yield* other.events.latest
          assertTrue(latest >= before, `${latest} counts all of the ${before} that had returned`)
          const log = yield* other.events.scan(0, 100)
          assertTrue(
            log.some(({ id }) => id === `evt_${n}`),
            "the log has the event"
          )
        }),
      { concurrency: 8, discard: true }
    )
    assertEqual(
      (yield* store.events.scan(0, 100)).map(({ seq }) => seq),
      upTo(40)
    )
  },

  *"a transaction that stays open holds back no event of others, and its own follow them"(store, fixture) {
    const another = yield* fixture.openAnother(store)
    const end = yield* heldOpen(fixture, store, (tx) => tx.events.append(newEvent(1)))
    const [ids] = yield* Effect.all(
      [
        Effect.map(follow(another, 2), (events) => events.map(({ id }) => id)),
        Effect.forEach([another, store], (one, index) => one.run((tx) => tx.events.append(newEvent(2 + index))))
      ],
      { concurrency: "unbounded" }
    )
    const stayedOpen = yield* end
    assertTrue(stayedOpen || fixture.writers !== "many", "the events of others appear while it is open")
    const log = yield* follow(store, 3)
    assertEqual(
      log.map(({ seq }) => seq),
      [1, 2, 3]
    )
    if (stayedOpen) {
      assertEqual(new Set(ids), new Set(["evt_2", "evt_3"]), "the events that appeared meanwhile")
      assertEqual(log.at(-1)?.id, "evt_1", "the event that is last")
    }
  }
})
