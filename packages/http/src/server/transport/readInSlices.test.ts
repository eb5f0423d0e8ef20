import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { ResponseThrottle } from "../limits/ResponseThrottle.ts"
import { TimeSlicedQueue } from "../limits/TimeSlicedQueue.ts"
import { WorkShares } from "../limits/WorkShares.ts"
import { Connection } from "./Connection.ts"
import { readInSlices } from "./readInSlices.ts"

const get = "GET / HTTP/1.1\r\n\r\n"
const probe = "GET /health/live HTTP/1.1\r\n\r\n"

/** A connection that is read in slices whose time is over until a turn of the event loop. `isComplete`: requests have no body. */
const connected = (isComplete = true) => {
  let time = 0
  let turns: Array<() => void> = []
  const parsed: Array<string> = []
  const responses: Array<ServerResponse> = []
  const socket = new Socket()
  let timers: Array<() => void> = []
  const shares = new WorkShares(
    () => time,
    (due) => timers.push(due)
  )
  const queue = new TimeSlicedQueue(
    () => 0,
    () => false,
    () => time,
    (turn) => turns.push(turn)
  )
  const connection = new Connection(socket, new ResponseThrottle(), { trusted: () => {} })
  socket.on("data", (bytes: Buffer) => {
    // Each turn has time for one slice.
    time += 5
    parsed.push(bytes.toString())
    const request = new IncomingMessage(socket)
    request.complete = isComplete
    const response = new ServerResponse(request)
    responses.push(response)
    connection.begin(response)
  })
  readInSlices(socket, connection, {
    queue,
    shares,
    isCrowded: () => false,
    isProbe: (target) => target === "/health/live"
  })
  return {
    connection,
    parsed,
    shares,
    /** The request that was parsed last is one of this key. */
    countToKey: () => {
      const response = responses.at(-1)
      if (response !== undefined) connection.countTo(1, response)
    },
    /** Takes time of the event loop. */
    take: (millis: number) => {
      time += millis
    },
    timer: () => {
      const due = timers
      timers = []
      for (const run of due) run()
    },
    /** Ends the first response that has not ended. */
    respond: async () => {
      const response = responses.shift()
      response?.destroy()
      // Node.js 22 does not say so of a response without a socket.
      response?.emit("close")
      await setImmediate()
    },
    receive: async (text: string) => {
      socket.push(text)
      await setImmediate()
    },
    /** Uses up the time of a turn. */
    work: () => queue.run(() => (time += 5), connection),
    turn: async () => {
      const due = turns
      turns = []
      for (const turn of due) turn()
      await setImmediate()
    }
  }
}

describe("given a connection that is read in slices", () => {
  it("when a turn of the event loop has no time left, then what arrives is parsed in a later one, a slice in each", async () => {
    const { connection, parsed, receive, turn, work } = connected()
    connection.trust()
    work()
    await receive("x".repeat(2_500))
    assert.lengthOf(parsed, 0)
    for (const count of [1, 2, 3]) {
      await turn()
      assert.lengthOf(parsed, count)
    }
    assert.strictEqual(parsed.join(""), "x".repeat(2_500))
  })

  it("when its client has not shown valid credentials, then one request is parsed until it has its response", async () => {
    const { parsed, receive, respond, turn } = connected()
    await receive(get.repeat(3))
    for (let count = 0; count < 5; count++) await turn()
    assert.deepStrictEqual(parsed, [get])
    await respond()
    for (let count = 0; count < 5; count++) await turn()
    assert.deepStrictEqual(parsed, [get, get])
  })

  it("when a health check arrives in a turn without time, then it is parsed at once", async () => {
    const { parsed, receive, work } = connected()
    work()
    await receive(probe)
    assert.deepStrictEqual(parsed, [probe])
  })

  it("when its client does not read, then no further request is parsed", async () => {
    const { connection, parsed, receive, turn } = connected()
    connection.trust()
    Object.defineProperty(connection.socket, "writableNeedDrain", { value: true })
    await receive(get.repeat(200))
    for (let count = 0; count < 5; count++) await turn()
    assert.deepStrictEqual(parsed, [get.repeat(200).slice(0, 1_024)])
  })

  it("when bytes of a body have waited, then the time to read them counts eight times to its key", async () => {
    const { connection, countToKey, receive, shares, take, turn, work } = connected(false)
    await receive(get)
    countToKey()
    connection.trust()
    const { socket } = connection
    const read = socket.read.bind(socket)
    socket.read = (size) => {
      take(20)
      return read(size)
    }
    work()
    await receive("x".repeat(100))
    for (let count = 0; count < 3; count++) await turn()
    assert.isFalse(shares.mustWait(2))
    assert.isTrue(shares.mustWait(1))
  })

  it("when a key has taken more than its share, then the rest of its body is read when it is its turn", async () => {
    const { connection, countToKey, parsed, receive, shares, take, timer, turn } = connected(false)
    await receive(get)
    countToKey()
    connection.trust()
    const busy = (): void =>
      shares.measure(
        () => take(500),
        () => 1
      )
    busy()
    shares.mustWait(2)
    await receive("x".repeat(2_000))
    for (let count = 0; count < 5; count++) await turn()
    timer()
    assert.deepStrictEqual(parsed, [get])
    // Its share of two seconds.
    take(2_000)
    timer()
    for (let count = 0; count < 5; count++) await turn()
    assert.strictEqual(parsed.join(""), get + "x".repeat(2_000))
  })
})
