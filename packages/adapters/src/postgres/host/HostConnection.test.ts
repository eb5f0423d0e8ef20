import { EventEmitter } from "node:events"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { callQueueOf } from "./CallQueue.ts"
import { HostConnection, StatementTimedOut } from "./HostConnection.ts"

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.fail("It was done"),
    (cause: unknown) => cause
  )

const connectionTo = (client: EventEmitter, rows = (): Promise<never> => Promise.reject(new Error("Not tried"))) =>
  new HostConnection({ identity: client, rows, run: rows }, callQueueOf(client), "petstore", 1)

const step = { token: "token", step: 1, lockTimeout: 0 }

describe("given a client of a host that does not listen to errors", () => {
  it("when several calls run on it, then it has one listener until the last of them ends", () => {
    const client = new EventEmitter()
    const calls = [connectionTo(client), connectionTo(client)]
    const counts = [client.listenerCount("error")]
    for (const call of calls) {
      call.end()
      counts.push(client.listenerCount("error"))
    }
    assert.deepStrictEqual(counts, [1, 1, 0])
  })

  it("when a statement is settled after its call has timed out, then the listener stays until then", async () => {
    const client = new EventEmitter()
    const { promise, reject } = Promise.withResolvers<never>()
    const call = connectionTo(client, () => promise)
    assert.instanceOf(await rejection(call.send(step)), StatementTimedOut)
    call.end()
    await setImmediate()
    assert.strictEqual(client.listenerCount("error"), 1)
    reject(new Error("The library cannot read the result"))
    await setImmediate()
    assert.strictEqual(client.listenerCount("error"), 0)
  })

  it("when it loses its connection in a call, then the listener stays for the error that comes after the call", async () => {
    const client = new EventEmitter()
    for (let n = 0; n < 3; n++) {
      const call = connectionTo(client, () => Promise.reject(new Error("Connection terminated unexpectedly")))
      await rejection(call.send(step))
      call.end()
    }
    assert.strictEqual(client.listenerCount("error"), 1)
    client.emit("error", new Error("Connection terminated unexpectedly"))
  })
})
