import { assert, describe, it } from "@effect/vitest"
import type { PetstoreApi } from "@petstore/core"
import type { Event } from "@petstore/core/domain"
import { createClient, HttpPetstore, UnexpectedResponse } from "@petstore/http/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { inVirtualTime, json, script, text } from "../../../test/support/scriptedFetch.ts"

const deleted: Event<"pet.deleted"> = {
  id: "evt_1",
  type: "pet.deleted",
  timestamp: "2026-11-22T12:00:00.000Z",
  seq: 1,
  subject: "pets/7",
  data: { id: 7 }
}
const newer = { ...deleted, id: "evt_2", seq: 2, type: "pet.vaccinated", data: { id: 7, vaccines: ["rabies"] } }
const withMore = { ...deleted, seq: 3, data: { id: 7, reason: "sold" } }
const broken = { ...deleted, id: "evt_4", seq: 4, data: { id: "7" } }

const frames = (events: ReadonlyArray<{ readonly seq: number }>): string =>
  events.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join("")

const streaming = (body: string, type = "text/event-stream") => text(200, body, { "Content-Type": type })

const petstoreWith = (reply: ReturnType<typeof json>): PetstoreApi => {
  const { fetch } = script([reply])
  return createClient({ baseUrl: "http://pets.example/v1", key: "psk_1", retries: 0, fetch })
}

/** The events of a stream until it fails, and its error. */
const streamed = async (body: string, type?: string) => {
  const found: Array<unknown> = []
  try {
    for await (const event of petstoreWith(streaming(body, type)).events.stream({ after: 0 })) found.push(event)
  } catch (error) {
    return { found, error }
  }
  return assert.fail("The stream has not failed")
}

describe("given events of a server", () => {
  it("when a type is not known, then the event is passed on as it is", async () => {
    const { items } = await petstoreWith(json(200, [deleted, newer])).events.list()
    assert.deepStrictEqual<unknown>(items, [deleted, newer])
  })

  it("when the data has more fields than are known, then they are ignored", async () => {
    const { items } = await petstoreWith(json(200, [withMore])).events.list()
    assert.deepStrictEqual<unknown>(items, [{ ...deleted, seq: 3 }])
  })

  it("when the data is not that of its type, then the list fails and names the place", async () => {
    const error: unknown = await petstoreWith(json(200, [deleted, broken]))
      .events.list()
      .catch((error: unknown) => error)
    assert.instanceOf(error, UnexpectedResponse)
    assert.include(String(error), "/1/data/id")
  })

  for (const [what, bad] of [
    ["data is not that of its type", frames([broken])],
    ["frame is not JSON", "id: 4\ndata: {\n\n"],
    ["event has no type", frames([{ ...deleted, seq: 4, type: undefined } as never])]
  ] as const) {
    it(`when the ${what} in a stream, then what was before is delivered, and the stream fails instead of connecting again`, async () => {
      const { error, found } = await streamed(frames([deleted, newer]) + bad + frames([{ ...deleted, seq: 5 }]))
      assert.deepStrictEqual<unknown>(found, [deleted, newer])
      assert.instanceOf(error, UnexpectedResponse)
      assert.include(String(error), "GET /events/stream")
    })
  }
})

describe("given a stream that a client may misread", () => {
  for (const type of [
    "text/event-stream",
    "Text/Event-Stream",
    "text/event-stream;charset=utf-8",
    "text/event-stream ; a=b"
  ]) {
    it(`when its type is ${type}, then it is read`, async () => {
      const found = petstoreWith(streaming(frames([deleted]), type)).events.stream({ after: 0 })
      for await (const event of found) return assert.deepStrictEqual<unknown>(event, deleted)
    })
  }

  for (const type of ["text/event-streams", "text/event-stream-v2", "text/plain", "text/html; text/event-stream"]) {
    it(`when its type is ${type}, then it fails`, async () => {
      const { error, found } = await streamed(frames([deleted]), type)
      assert.deepStrictEqual(found, [])
      assert.instanceOf(error, UnexpectedResponse)
    })
  }

  for (const id of ["", " 2", "2.0", "2e0", "0x2", "+2", "02", "9007199254740992", "evt_2"]) {
    it(`when an event has the id "${id}", then the stream fails, and the event is not passed over`, async () => {
      const bad = `id: ${id}\ndata: ${JSON.stringify({ ...deleted, seq: 2 })}\n\n`
      const { error, found } = await streamed(frames([deleted]) + bad + frames([{ ...deleted, seq: 3 }]))
      assert.deepStrictEqual<unknown>(found, [deleted])
      assert.instanceOf(error, UnexpectedResponse)
      assert.include(String(error), `"${id}"`)
    })
  }
})

describe("given a stream that ends", () => {
  it.effect("when the server has asked for a time, then the client waits that long before it connects again", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const [first, second] = [deleted, { ...deleted, seq: 2 }]
      const { fetch, sent } = script(
        [streaming(`retry: 700\nretry: 1e9\n\n${frames([first])}`), streaming(frames([second]))],
        clock
      )
      const layer = HttpPetstore.layer({ baseUrl: "http://pets.example/v1", key: "psk_1", fetch })
      const found = yield* inVirtualTime(
        Effect.flatMap(HttpPetstore, ({ events }) =>
          Stream.runCollect(Stream.take(events.stream({ after: 0 }), 2))
        ).pipe(Effect.provide(layer))
      )
      assert.deepStrictEqual<unknown>(found, [first, second])
      assert.strictEqual(sent[1]?.at, 700)
    })
  )
})
