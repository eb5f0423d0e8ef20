import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import type { Delivery } from "@petstore/core/domain"
import { type TestPetstore, testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { temporaryFolder } from "../../test/support/folder.ts"
import { httpReceiver } from "../../test/support/receivers.ts"
import { webhookSender } from "./webhookSender.ts"

expectLogs(clearText)

const events = 12

const deliveriesOf = async (petstore: TestPetstore, id: number): Promise<ReadonlyArray<Delivery>> => {
  const all = []
  for await (const delivery of petstore.webhooks.allDeliveries(id)) all.push(delivery)
  return all
}

/** Waits in real time, without end: the test has a limit. */
const until = async (isSo: () => boolean | Promise<boolean>, each: () => Promise<unknown> = async () => {}) => {
  while (!(await isSo())) {
    await each()
    await setTimeout(10)
  }
}

describe("given one petstore with endpoints that misbehave, each in its own way", () => {
  it.live("then each event has one delivery to each, what failed is scheduled, and memory is back", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const timers = new Set<NodeJS.Timeout>()
      const repeat = (write: () => void) => timers.add(setInterval(write, 20))
      const chunk = Buffer.alloc(1 << 20)
      const forbidden = yield* httpReceiver((_, response) => response.end(), "127.0.0.9")
      const receivers = {
        well: yield* httpReceiver((_, response) => response.writeHead(204).end()),
        hangs: yield* httpReceiver(() => {}),
        drips: yield* httpReceiver((_, response) => {
          response.writeHead(200, { "Content-Length": 1_000_000 })
          repeat(() => response.write("x"))
        }),
        sendsGigabyte: yield* httpReceiver((_, response) => {
          response.writeHead(200, { "Content-Length": 2 ** 30 })
          let left = 2 ** 10
          const write = () => {
            while (left-- > 0 && response.write(chunk));
          }
          response.on("drain", write)
          write()
        }),
        redirects: yield* httpReceiver((_, response) =>
          response.writeHead(302, { Location: `http://127.0.0.9:${forbidden.port}/` }).end()
        ),
        rebinds: yield* httpReceiver((_, response) => response.writeHead(204, { Connection: "close" }).end())
      }
      type Kind = keyof typeof receivers
      let rebound = 0
      const resolveName = async (name: string) =>
        name === "rebinds.test" && ++rebound > 1 ? ["127.0.0.9"] : ["127.0.0.1"]
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() =>
          testPetstore({
            storage: sqlite(join(folder, "petstore.db")),
            webhooks: webhookSender({ allowAddresses: ["127.0.0.1"], resolveName })
          })
        ),
        (opened) => Effect.promise(() => opened.close())
      )
      yield* Effect.promise(async () => {
        const ids = new Map<Kind, number>()
        for (const kind of Object.keys(receivers) as ReadonlyArray<Kind>) {
          const url = `http://${kind.toLowerCase()}.test:${receivers[kind].port}/`
          ids.set(kind, (await petstore.webhooks.create({ url, types: ["category.created"] })).id)
        }
        const idOf = (kind: Kind) => ids.get(kind) ?? assert.fail(kind)
        const before = process.memoryUsage().rss
        for (let n = 0; n < events; n++) await petstore.categories.create({ name: `Category ${n}` })
        const isTried = async (kind: Kind) =>
          (await deliveriesOf(petstore, idOf(kind))).filter(({ lastAttemptAt }) => lastAttemptAt !== undefined)
            .length === events
        // The healthy one waits for no other, although no time passes.
        await until(
          async () =>
            (await deliveriesOf(petstore, idOf("well"))).filter(({ status }) => status === "delivered").length ===
            events,
          () => petstore.clock.advance(10)
        )
        for (const kind of ids.keys())
          await until(
            () => isTried(kind),
            () => petstore.clock.advance("5 seconds")
          )
        const failures = new Map<Kind, ReadonlyArray<string>>()
        const seqs = (await deliveriesOf(petstore, idOf("well"))).map(({ seq }) => seq)
        for (const [kind, id] of ids) {
          const all = await deliveriesOf(petstore, id)
          assert.deepStrictEqual(
            all.map(({ seq }) => seq),
            seqs,
            `${kind}: one delivery of each event`
          )
          for (const { nextAttemptAt, status } of all) {
            assert.isTrue(status === "delivered" || (status === "pending" && nextAttemptAt !== undefined), kind)
          }
          failures.set(kind, [...new Set(all.map(({ failure }) => failure ?? "delivered"))].sort())
        }
        assert.deepStrictEqual(Object.fromEntries(failures), {
          well: ["delivered"],
          hangs: ["timeout"],
          drips: ["timeout"],
          sendsGigabyte: ["response_too_large"],
          redirects: ["redirect"],
          rebinds: ["address", "delivered"]
        })
        assert.strictEqual(forbidden.connections(), 0)
        assert.isTrue((await petstore.verify()).ok)
        assert.isBelow(process.memoryUsage().rss - before, 150e6)
        for (const timer of timers) clearInterval(timer)
        await petstore.close()
        await until(() => Object.values(receivers).every(({ sockets }) => sockets.size === 0))
      })
    })
  )
})
