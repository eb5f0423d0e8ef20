import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { removed, saved, written } from "../../../test/support/writes.ts"
import { untyped } from "../../../testing/src/untyped.ts"
import { StorageUnavailable } from "../../domain/errors/ServiceErrors.ts"
import { unclaimed } from "../../domain/Lease.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { Commands } from "../../programs/Commands.ts"
import { Journal } from "../../programs/events/Journal.ts"
import { consumers, parkedEvents } from "../../tables/index.ts"
import type { Runtime } from "../Runtime.ts"
import { type ConsumerClaim, ConsumerClaims } from "./ConsumerClaims.ts"

const lease = 30_000
const hasEnded = (holder: string) => holder.startsWith("dead-")
const record = { name: "invoices", position: 2, lease: unclaimed, attempts: 0, createdAt: "1970-01-01T00:00:00.000Z" }
const parked = {
  consumer: "invoices",
  seq: 1,
  attempts: 3,
  failure: "no paper",
  parkedAt: "1970-01-01T00:00:00.000Z",
  replay: true
}

/** A consumer with a parked event, and two that may claim it. */
const given = Effect.gen(function* () {
  const storage = yield* Storage
  const commands = yield* Commands
  const journal = yield* Journal
  const { scan } = storage
  const register = written([saved(consumers, record), saved(parkedEvents, parked)])
  yield* register
  const claimant = (holder: string) =>
    new ConsumerClaims(storage, commands, journal, { name: "invoices", holder, lease, hasEnded })
  const claim = (claims: ConsumerClaims) =>
    Effect.flatMap(claims.claim, (found) =>
      found?.items[0] === undefined ? Effect.die(new Error("It is held")) : Effect.succeed(found.items[0])
    )
  const rows = Effect.all([scan(consumers, [], 10), scan(parkedEvents, [], 10)])
  return { storage, register, one: claimant("1-a"), other: claimant("2-b"), dead: claimant("dead-c"), claim, rows }
})

/** Everything that a claim allows, each of which fails once it is lost. */
const uses = (claims: ConsumerClaims, claim: ConsumerClaim) => {
  return {
    extend: claims.extend(claim),
    record: claims.record(claim),
    fail: claims.fail(claim, "late", 1_000),
    park: claims.park(claim, 9, "late"),
    unpark: claims.unpark(claim, parked),
    parkAgain: claims.parkAgain(claim, parked, "late")
  }
}

const refusesAll = (claims: ConsumerClaims, claim: ConsumerClaim, rows: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const before = yield* rows
    const late = { ...claim, position: 9 }
    for (const [what, use] of Object.entries(uses(claims, late))) {
      const error = yield* Effect.flip(use)
      assert.strictEqual(error._tag, "ClaimLost", what)
      assert.deepStrictEqual(late, { ...claim, position: 9 }, what)
    }
    yield* claims.release(late)
    assert.deepStrictEqual(yield* rows, before)
  })

const inPetstore = <A, E>(body: Effect.Effect<A, E, Runtime | Storage>) =>
  Effect.provide(body, Petstore.layer(memory()))

describe("the claims of a consumer", () => {
  it.effect("given a claim, then nobody else gets one before its lease ends, and each has a greater fence", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, other } = yield* given
        const { fence } = yield* claim(one)
        yield* TestClock.adjust(lease - 1)
        assert.deepStrictEqual(yield* other.claim, {
          items: [],
          nextDue: "1970-01-01T00:00:30.000Z",
          heldBy: "1-a"
        })
        yield* TestClock.adjust(1)
        assert.deepStrictEqual([fence, (yield* claim(other)).fence], [1, 2])
      })
    )
  )

  it.effect("given a look from before the claim of another, then the claim is refused all the same", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, storage } = yield* given
        const held = yield* claim(one)
        const stale: typeof storage = {
          ...storage,
          find: (table, key) =>
            table.name === consumers.name ? Effect.succeed(untyped(record)) : storage.find(table, key)
        }
        const commands = yield* Commands
        const late = new ConsumerClaims(stale, commands, yield* Journal, {
          name: "invoices",
          holder: "2-b",
          lease,
          hasEnded
        })
        assert.deepStrictEqual(yield* late.claim, {
          items: [],
          nextDue: "1970-01-01T00:00:30.000Z",
          heldBy: "1-a"
        })
        yield* one.extend(held)
      })
    )
  )

  it.effect(
    "given an event that has failed, when the claim is released, then the next one continues its attempts",
    () =>
      inPetstore(
        Effect.gen(function* () {
          const { claim, one, other } = yield* given
          const first = yield* claim(one)
          const retryAt = yield* one.fail(first, "no paper", 1_000)
          yield* one.release(first)
          assert.deepInclude(yield* claim(other), { position: 2, attempts: 1, retryAt })
        })
      )
  )

  it.effect(
    "given a claimant whose process has ended, then its lease is not waited for, and what it records is refused",
    () =>
      inPetstore(
        Effect.gen(function* () {
          const { claim, dead, other, rows } = yield* given
          const late = yield* claim(dead)
          assert.strictEqual((yield* claim(other)).fence, late.fence + 1)
          yield* refusesAll(dead, late, rows)
        })
      )
  )

  it.effect("given that another claimant has taken over, then all that the first one records is refused", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, other, rows } = yield* given
        const late = yield* claim(one)
        yield* TestClock.adjust(lease)
        yield* claim(other)
        yield* refusesAll(one, late, rows)
      })
    )
  )

  it.effect("given that the same claimant has claimed again, then all that belongs to its first claim is refused", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, rows } = yield* given
        const late = yield* claim(one)
        yield* TestClock.adjust(lease)
        yield* claim(one)
        yield* refusesAll(one, late, rows)
      })
    )
  )

  it.effect("given that the consumer was removed and registered again, then a claim from before is refused", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, other, register, rows } = yield* given
        const late = yield* claim(one)
        yield* written([removed(parkedEvents, parked), removed(consumers, record)])
        yield* refusesAll(one, late, rows)
        yield* register
        assert.strictEqual((yield* claim(other)).fence, late.fence)
        yield* refusesAll(one, late, rows)
      })
    )
  )

  it.effect("given a claim that has expired, then it still counts as long as nobody else has claimed", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, storage } = yield* given
        const late = yield* claim(one)
        yield* TestClock.adjust(10 * lease)
        late.position = 5
        yield* one.record(late)
        const found = yield* storage.find(consumers, "invoices")
        assert.deepStrictEqual([found?.position, found?.lease.until], [5, "1970-01-01T00:05:30.000Z"])
      })
    )
  )

  it.effect("given a parked event that was discarded meanwhile, when it fails again, then it is not parked again", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, storage } = yield* given
        const held = yield* claim(one)
        yield* written([removed(parkedEvents, parked)])
        yield* one.parkAgain(held, parked, "late")
        assert.deepStrictEqual(yield* storage.scan(parkedEvents, [], 10), [])
      })
    )
  )

  it.effect("given a commit that fails, then nothing counts as recorded", () =>
    inPetstore(
      Effect.gen(function* () {
        const { claim, one, storage } = yield* given
        const held = yield* claim(one)
        const failing: Storage["Service"] = {
          ...storage,
          run: () => Effect.fail(new StorageUnavailable({}))
        }
        const commands = yield* Effect.provideService(Effect.provide(Commands, Commands.layer()), Storage, failing)
        const claimant = { name: "invoices", holder: "1-a", lease, hasEnded }
        const claims = new ConsumerClaims(failing, commands, yield* Journal, claimant)
        const late = { ...held, position: 9 }
        const changes = {
          record: claims.record(late),
          fail: claims.fail(late, "late", 1_000),
          park: claims.park(late, 10, "late")
        }
        for (const [what, change] of Object.entries(changes)) {
          assert.strictEqual((yield* Effect.flip(change))._tag, "StorageUnavailable", what)
          assert.deepStrictEqual(late, { ...held, position: 9 }, what)
        }
        yield* one.record(late)
        assert.deepStrictEqual([late.recorded, (yield* storage.find(consumers, "invoices"))?.position], [9, 9])
      })
    )
  )
})
