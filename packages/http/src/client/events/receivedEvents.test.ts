import { assert, describe, it } from "@effect/vitest"
import type { PetstoreApi } from "@petstore/core"
import type { Event } from "@petstore/core/domain"
import { createClient, UnexpectedResponse } from "@petstore/http/client"
import { json, script, text } from "../../../test/support/scriptedFetch.ts"

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

const streaming = (body: string) => text(200, body, { "Content-Type": "text/event-stream" })

const petstoreWith = (reply: ReturnType<typeof json>): PetstoreApi => {
  const { fetch } = script([reply])
  return createClient({ baseUrl: "http://pets.example/v1", key: "psk_1", retries: 0, fetch })
}

/** The events of a stream until it fails, and its error. */
const streamed = async (body: string) => {
  const found: Array<unknown> = []
  try {
    for await (const event of petstoreWith(streaming(body)).events.stream({ after: 0 })) found.push(event)
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
