import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { endTogether, endWaiting } from "./endTogether.ts"

const aResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()))

describe("given responses of one turn of the event loop", () => {
  it("then they are ended behind the turn, all of them", async () => {
    const [first, second] = [aResponse(), aResponse()]
    endTogether(first, "one")
    endTogether(second, new Uint8Array([1]))
    assert.deepStrictEqual([first.writableEnded, second.writableEnded], [false, false])
    await setImmediate()
    assert.deepStrictEqual([first.writableEnded, second.writableEnded], [true, true])
  })

  it("when work follows that blocks the event loop, then they are ended before it", () => {
    const response = aResponse()
    endTogether(response, "one")
    endWaiting()
    assert.isTrue(response.writableEnded)
  })

  it("when one is destroyed meanwhile, then it is not ended, which would be an error without a listener", async () => {
    const [lost, other] = [aResponse(), aResponse()]
    endTogether(lost, "one")
    endTogether(other, "two")
    lost.destroy()
    await setImmediate()
    assert.deepStrictEqual([lost.writableEnded, other.writableEnded], [false, true])
  })
})
