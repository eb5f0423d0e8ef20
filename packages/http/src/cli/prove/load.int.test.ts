import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CommitUnknown, StorageBusy } from "@petstore/core/domain"
import { memory, Petstore, type StorageError } from "@petstore/core/effect"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { callsOf, judge } from "./judge.ts"
import { runLoad } from "./load.ts"
import { ProofLog, readProof } from "./ProofLog.ts"
import { readBack, violationsOf } from "./readBack.ts"

type Shop = Petstore["Service"]

/** What befalls a call that changes something. */
type Network = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageError>

/** A shop to which, and from which, the network may fail. */
const behind = (shop: Shop, network: Network, atStart: Network = (call) => call): Shop => ({
  ...shop,
  orders: {
    ...shop.orders,
    place: (...args) => network(shop.orders.place(...args)),
    complete: (...args) => network(shop.orders.complete(...args)),
    cancel: (...args) => network(shop.orders.cancel(...args))
  },
  inventory: {
    ...shop.inventory,
    set: (...args) => atStart(shop.inventory.set(...args)),
    adjust: (...args) => network(shop.inventory.adjust(...args))
  }
})

/** Runs load until so many calls are acknowledged. */
const loaded = (network: Network, calls: number, atStart?: Network) =>
  Effect.gen(function* () {
    const shop = yield* Petstore
    const file = join(yield* temporaryFolder, "proof.ndjson")
    const log = new ProofLog(file)
    log.start("proof-1", "shop")
    const enough = yield* Deferred.make<void>()
    yield* runLoad({
      proof: "proof-1",
      log,
      shops: [behind(shop, network, atStart), shop],
      clients: 4,
      seconds: 60,
      pause: 2,
      stop: Deferred.await(enough),
      wait: 60,
      onProgress: ({ acknowledged }) => {
        if (acknowledged >= calls) Deferred.doneUnsafe(enough, Effect.void)
      }
    })
    log.close()
    const { entries } = readProof(file)
    const unsettled = callsOf(entries).filter((call) => call.acknowledged.length === 0 && call.rejected === undefined)
    assert.deepStrictEqual(unsettled, [])
    const petIds = entries.flatMap((entry) => (entry.type === "pet" ? [entry.petId] : []))
    const found = { ...(yield* readBack(shop, petIds)), violations: violationsOf(yield* shop.verify), primaries: [] }
    return { entries, found, failed: entries.filter(({ type }) => type === "failed").length }
  }).pipe(Effect.scoped, Effect.provide(Petstore.layer(memory())))

describe("the load of a proof", () => {
  it.live("given results that are lost after the commit, then each call has one effect, and every one is checked", () =>
    Effect.gen(function* () {
      const lost: Network = (call) => Effect.andThen(call, Effect.fail(new CommitUnknown({})))
      const { entries, failed, found } = yield* loaded(lost, 100)
      assert.isAbove(failed, 20)
      assert.deepStrictEqual(judge(entries, found), [])
      const calls = callsOf(entries)
      assert.deepStrictEqual(
        new Set(calls.filter(({ acknowledged }) => acknowledged.length > 0).map(({ command }) => command.type)),
        new Set(["place", "complete", "cancel", "receive"])
      )
    })
  )

  it.live("given a server that is away, then calls are repeated on the other one", () =>
    Effect.gen(function* () {
      const { entries, failed, found } = yield* loaded(() => Effect.fail(new StorageBusy({})), 50)
      assert.isAbove(failed, 10)
      assert.deepStrictEqual(judge(entries, found), [])
    })
  )

  it.live("given a server that fails while its pets are stocked, then the log has each of them once", () =>
    Effect.gen(function* () {
      let calls = 0
      const third: Network = (call) => (++calls === 3 ? Effect.fail(new StorageBusy({})) : call)
      const { entries, found } = yield* loaded((call) => call, 50, third)
      assert.strictEqual(entries.filter(({ type }) => type === "pet").length, 5)
      assert.deepStrictEqual(judge(entries, found), [])
    })
  )
})
