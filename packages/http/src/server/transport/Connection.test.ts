import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { ResponseThrottle } from "../limits/ResponseThrottle.ts"
import { Connection } from "./Connection.ts"

/** A connection on which a request has begun, whose response has been sent if `isSent`. */
const withRequest = ({ isComplete, isSent }: { readonly isComplete: boolean; readonly isSent: boolean }) => {
  const socket = Object.defineProperty(new Socket(), "bytesRead", { value: 100 })
  const connection = new Connection(socket, new ResponseThrottle(), { trusted: () => {} })
  const request = new IncomingMessage(socket)
  request.complete = isComplete
  const response = new ServerResponse(request)
  assert.isTrue(connection.begin(response))
  if (isSent) response.destroy()
  return { connection, request, response }
}

describe("a connection", () => {
  it("given a request that has arrived and was responded to, when that is released, then neither is kept", () => {
    const { connection, response } = withRequest({ isComplete: true, isSent: true })
    connection.release(response)
    assert.deepStrictEqual(
      [connection.lastRequest, connection.pending, connection.isIdle],
      [undefined, undefined, true]
    )
    assert.isFalse(connection.isLatest(response))
    // It counts as one that has had requests: one whose first request has come in part would not be closed.
    connection.endIfQuiet(0, 0)
    assert.isFalse(connection.isOpen)
  })

  it("given a request that has not arrived completely, then it is kept", () => {
    const { connection, request, response } = withRequest({ isComplete: false, isSent: true })
    connection.release(response)
    assert.strictEqual(connection.lastRequest, request)
  })

  it("given a response that has not been sent, or a later one, then that is kept", () => {
    const { connection, request, response } = withRequest({ isComplete: true, isSent: false })
    connection.release(response)
    assert.strictEqual(connection.pending, response)
    response.destroy()
    const later = new ServerResponse(request)
    connection.begin(later)
    connection.release(response)
    assert.strictEqual(connection.pending, later)
  })

  it("given bytes that wait for their turn, then neither quiet nor a new connection closes it", () => {
    const { connection } = withRequest({ isComplete: true, isSent: true })
    connection.tasks.push(() => {})
    connection.endIfQuiet(0, 0)
    assert.isTrue(connection.isOpen)
    assert.isFalse(connection.isExpendable)
    connection.tasks.pop()
    assert.isTrue(connection.isExpendable)
    connection.endIfQuiet(0, 0)
    assert.isFalse(connection.isOpen)
  })
})
