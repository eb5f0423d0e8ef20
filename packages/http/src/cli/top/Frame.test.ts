import { assert, describe, it } from "@effect/vitest"
import { plain } from "../terminal/text.ts"
import { frameOf, linesOf } from "./Frame.ts"
import type { Reading, ServerReading } from "./Reading.ts"

const server: ServerReading = {
  requests: 100,
  failures: 0,
  inFlight: 3,
  waiting: 1,
  transactions: 50,
  transactionsWaiting: 2,
  commits: 25
}

const reading: Reading = {
  at: Date.UTC(2026, 4, 4, 9, 30),
  store: {
    latestEvent: 1_000,
    messages: { queued: 2, failed: 0, oldestSeconds: 125 },
    consumers: [{ name: "mailer\x1b[2J", lag: 3, oldestSeconds: 7_260 }],
    webhooks: [{ id: 7, enabled: false, pending: 0, failed: 4, oldestSeconds: 0 }]
  },
  server
}

const later = (change: Partial<ServerReading>): Reading => ({
  ...reading,
  at: reading.at + 2_000,
  store: { ...reading.store, latestEvent: 1_010 },
  server: { ...server, ...change }
})

const text = (frame: ReturnType<typeof frameOf>, width = 100): string => linesOf(frame, plain, width).join("\n")

describe("a frame", () => {
  it("given two readings, then rates are what has grown between them, a second", () => {
    const frame = frameOf("here", reading, later({ requests: 121, failures: 1, transactions: 60, commits: 30 }))
    assert.deepInclude(frame.server, {
      requestsPerSecond: 10.5,
      failuresPerSecond: 0.5,
      transactionsPerSecond: 5,
      commitsPerSecond: 2.5
    })
    assert.strictEqual(frame.store.eventsPerSecond, 5)
  })

  it("given a server that was restarted between two readings, then rates count what it has done since", () => {
    assert.strictEqual(frameOf("here", reading, later({ requests: 8 })).server?.requestsPerSecond, 4)
  })

  it("given readings of a database, then it has no numbers of a server", () => {
    const { server: _, ...ofStore } = reading
    const frame = frameOf("pets.db", { ...ofStore, server: undefined }, { ...ofStore, server: undefined })
    assert.isNull(frame.server)
    assert.notInclude(text(frame), "requests")
  })

  it("given everything, then it shows queues, with what users wrote as it cannot control the terminal", () => {
    assert.strictEqual(
      text(frameOf("http://a/metrics", reading, later({ requests: 120 }))),
      `2026-05-04 09:30:02Z  http://a/metrics

requests      10/s      0/s failed   3 in flight       1 waiting
transactions  0/s       0/s commits                    2 waiting
events        5/s       1010 in all
messages      2 queued  0 failed     oldest 2 min 5 s

consumer    events behind  oldest
mailer\u{fffd}[2J  3              2 h 1 min

webhook  state     pending  failed  oldest pending
7        disabled  0        4       -`
    )
  })

  it("given a width, then no line is wider", () => {
    const frame = frameOf("x".repeat(200), reading, later({}))
    for (let width = 1; width < 80; width += 6) {
      assert.isAtMost(Math.max(...linesOf(frame, plain, width).map(({ length }) => length)), width)
    }
  })
})
