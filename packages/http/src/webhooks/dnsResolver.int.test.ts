import { createSocket } from "node:dgram"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dnsResolver } from "./dnsResolver.ts"

const A = 1
const AAAA = 28

interface Answer {
  /** The code of the response; 0 is success, 2 a failure of the server, 3 that there is no such name. */
  readonly code?: number
  readonly addresses?: ReadonlyArray<Uint8Array>
}

/** A DNS server on loopback that responds to a question of one type, or not at all. */
const dnsServer = (answer: (name: string, type: number) => Answer | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      socket.on("message", (query, { address, port }) => {
        const labels: Array<string> = []
        let at = 12
        for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
          labels.push(query.toString("latin1", at + 1, at + 1 + size))
          at += size + 1
        }
        const type = query.readUInt16BE(at + 1)
        const found = answer(labels.join("."), type)
        if (found === undefined) return
        const { addresses = [], code = 0 } = found
        const head = Buffer.alloc(12)
        query.copy(head, 0, 0, 2)
        head.writeUInt16BE(0x8180 | code, 2)
        head.writeUInt16BE(1, 4)
        head.writeUInt16BE(addresses.length, 6)
        const records = addresses.map((bytes) =>
          Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]), bytes])
        )
        socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), port, address)
      })
      await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
      return socket
    }),
    (socket) => Effect.promise(() => new Promise<void>((resolve) => socket.close(resolve)))
  ).pipe(Effect.map((socket) => dnsResolver([`127.0.0.1:${socket.address().port}`])))

const ipv4 = [Uint8Array.of(93, 184, 215, 14), Uint8Array.of(10, 0, 0, 1)]
const ipv6 = [Uint8Array.from([0xfd, ...Array.from({ length: 14 }, () => 0), 1])]

const never = new AbortController().signal

describe("given a DNS server", () => {
  it.effect("when a name has addresses of both families, then all are returned", () =>
    Effect.gen(function* () {
      const asked = new Set<string>()
      const resolve = yield* dnsServer((name, type) => {
        asked.add(`${name} ${type}`)
        return { addresses: type === A ? ipv4 : ipv6 }
      })
      const found = yield* Effect.promise(() => resolve("shop.test", never))
      assert.deepStrictEqual(found, ["93.184.215.14", "10.0.0.1", "fd00::1"])
      assert.deepStrictEqual(asked, new Set([`shop.test ${A}`, `shop.test ${AAAA}`]))
    })
  )

  it.effect("when a name has addresses of one family, or the other fails, then those are returned", () =>
    Effect.gen(function* () {
      for (const other of [{}, { code: 2 }, { code: 3 }]) {
        const only4 = yield* dnsServer((_name, type) => (type === A ? { addresses: ipv4 } : other))
        assert.deepStrictEqual(yield* Effect.promise(() => only4("shop.test", never)), ["93.184.215.14", "10.0.0.1"])
        const only6 = yield* dnsServer((_name, type) => (type === AAAA ? { addresses: ipv6 } : other))
        assert.deepStrictEqual(yield* Effect.promise(() => only6("shop.test", never)), ["fd00::1"])
      }
    })
  )

  for (const [what, answer, code] of [
    ["does not exist", { code: 3 }, "ENOTFOUND"],
    ["has no addresses", {}, "ENODATA"],
    ["cannot be resolved", { code: 2 }, "ESERVFAIL"]
  ] as const) {
    it.effect(`when a name ${what}, then it fails with ${code}`, () =>
      Effect.gen(function* () {
        const resolve = yield* dnsServer(() => answer)
        const error: unknown = yield* Effect.promise(() => resolve("shop.test", never).catch((reason) => reason))
        assert.propertyVal(error, "code", code)
      })
    )
  }

  it.effect("when it does not respond, then the look-up ends with its signal", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<void>()
      const resolve = yield* dnsServer(() => {
        asked.resolve()
        return undefined
      })
      const controller = new AbortController()
      const looking = resolve("shop.test", controller.signal).catch((reason) => reason)
      yield* Effect.promise(() => asked.promise)
      controller.abort()
      assert.propertyVal(yield* Effect.promise(() => looking), "code", "ECANCELLED")
    })
  )

  it.effect("when a name is of this machine, then no server is asked", () =>
    Effect.gen(function* () {
      const resolve = yield* dnsServer(() => assert.fail("It was asked"))
      for (const name of ["localhost", "app.localhost"]) {
        assert.deepStrictEqual(yield* Effect.promise(() => resolve(name, never)), ["127.0.0.1", "::1"])
      }
    })
  )
})
