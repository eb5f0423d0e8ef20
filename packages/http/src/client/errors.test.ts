import { assert, describe, it } from "@effect/vitest"
import { catalogue, PetstoreError, ValidationFailed } from "@petstore/core"
import {
  type ClientOptions,
  ConnectionLost,
  createClient,
  ResponseTimeout,
  UnexpectedResponse,
  UnlistedError
} from "@petstore/http/client"
import { aPet } from "@petstore/testing"
import { broken, json, type Reply, script, silence, text } from "../../test/support/scriptedFetch.ts"

const address = "http://pets.example/v1"

const clientOf = (reply: Reply, options: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl: address,
    key: "psk_1",
    retries: 0,
    fetch: script([reply]).fetch,
    ...options
  })

const rejection = (call: Promise<unknown>): Promise<PetstoreError> =>
  call.then(
    () => assert.fail("Expected a rejection"),
    (error: unknown) => (error instanceof PetstoreError ? error : assert.fail(String(error)))
  )

const reading = (reply: Reply) => rejection(clientOf(reply).pets.get(7))
const writing = (reply: Reply) => rejection(clientOf(reply).pets.update(7, { name: "Rex" }))

describe("given an error of a petstore", () => {
  for (const Class of Object.values(catalogue)) {
    it(`when it is ${Class.code}, then the client throws the class that an in-process petstore throws, with all its fields`, async () => {
      const body = { code: Class.code, message: "So it is.", status: Class.status, details: { petId: 7 } }
      const error = await reading(json(Class.status, body))
      assert.isTrue(error instanceof Class)
      assert.deepStrictEqual(error.toJSON(), body)
    })
  }

  it("when it has violations, then they are kept", async () => {
    const sent = ValidationFailed.of([{ path: "/body/name", message: "Missing field" }])
    const error = await reading(json(400, sent))
    assert.instanceOf(error, ValidationFailed)
    assert.deepStrictEqual(error.violations, sent.violations)
    assert.strictEqual(error.message, sent.message)
  })

  it("when a newer server or a host application defined its code, then the client keeps it", async () => {
    const body = { code: "dog_is_asleep", message: "Let it lie.", status: 409, details: { petId: 7 } }
    const error = await reading(json(409, { ...body, hint: "a field of tomorrow" }))
    assert.instanceOf(error, UnlistedError)
    assert.strictEqual(error.name, "UnlistedError")
    assert.deepStrictEqual(error.toJSON(), body)
    assert.instanceOf(await reading(json(400, { code: "constructor", message: "", status: 400 })), UnlistedError)
  })
})

const html = { "Content-Type": "text/html; charset=utf-8" }
const pet = aPet({ id: 7 })

const odd: Readonly<Record<string, readonly [reply: Reply, found: string]>> = {
  "a page of a proxy": [text(502, "<h1>Bad Gateway</h1>", html), "502 with text/html; charset=utf-8"],
  "a page of another server": [text(200, "<h1>Welcome</h1>", html), "200 with text/html; charset=utf-8"],
  "a page that is missing there": [text(404, "", {}), "404 with text/plain"],
  "JSON that is cut short": [
    text(200, '{"id": 7, "na', { "Content-Type": "application/json", ETag: '"p1"' }),
    "broken JSON"
  ],
  "bytes without a type": [async () => new Response(new Uint8Array(2), { status: 404 }), "404 with no Content-Type"],
  "an empty body": [text(200, "", { "Content-Type": "application/json", ETag: '"p1"' }), "broken JSON"],
  "an error of another shape": [
    json(400, { error: "bad_request" }),
    "400 with JSON that is not an error of a petstore"
  ],
  "an error in another envelope": [
    json(404, { error: { code: "not_found", message: "", status: 404 } }),
    "not an error of a petstore"
  ],
  "an error that is no object": [json(500, "oops"), "not an error of a petstore"],
  "a null": [json(200, null, { ETag: '"p1"' }), "at /: Expected"],
  "a list": [json(200, [pet], { ETag: '"p1"' }), "at /: Expected"],
  "a pet without its name": [json(200, { ...pet, name: undefined }, { ETag: '"p1"' }), "/name: "],
  "a pet with an id beyond 2^53": [
    json(200, { ...pet, id: 2 ** 53 }, { ETag: '"p1"' }),
    "/id: Expected a whole number"
  ],
  "a pet with a status unheard of": [json(200, { ...pet, status: "lost" }, { ETag: '"p1"' }), "/status: "],
  "a pet without a version": [json(200, pet), "no ETag"],
  "a pet with the tag of something else": [json(200, pet, { ETag: '"v1"' }), 'the ETag "v1"'],
  "another success": [json(202, pet, { ETag: '"p1"' }), "status 202 with no error in it"],
  "no content": [text(204, ""), "status 204 with no error in it"],
  "an error that calls itself a success": [json(200, { code: "not_found", message: "", status: 404 }), "/id: "],
  "a redirection": [text(301, "", { Location: "https://pets.example/v1" }), "a redirection to https://pets.example/v1"]
}

describe("given a response that is not from a petstore", () => {
  for (const [what, [reply, found]] of Object.entries(odd)) {
    it(`when it is ${what}, then the error names what was found`, async () => {
      const error = await reading(reply)
      assert.instanceOf(error, UnexpectedResponse)
      assert.include(error.message, "The response to GET /pets/7 is not from a petstore: status ")
      assert.include(error.message, found)
      assert.notMatch(error.message, /undefined|\[object|\.\./)
      assert.deepStrictEqual(error.details, { responseStatus: (await reply({} as never)).status, mayBeDone: false })
      assert.deepStrictEqual([error.code, error.status], ["unexpected_answer", 502])
    })
  }

  it("when the request was a write, then the error shows whether it may have been carried out", async () => {
    const outcomes: ReadonlyArray<readonly [Reply, boolean]> = [
      [text(200, "<h1>Welcome</h1>", html), true],
      [json(200, pet), true],
      [text(500, ""), true],
      [text(504, ""), true],
      [text(301, "", { Location: "/" }), false],
      [text(404, ""), false],
      [text(413, "too large"), false]
    ]
    for (const [reply, mayBeDone] of outcomes) {
      const error = await writing(reply)
      assert.instanceOf(error, UnexpectedResponse)
      assert.strictEqual(error.details.mayBeDone, mayBeDone)
    }
  })

  it("when the link to the next page of a list has no cursor, then the error says so", async () => {
    const reply = json(200, [pet], { Link: '</v1/pets?limit=1>; rel="next"' })
    assert.include((await rejection(clientOf(reply).pets.list())).message, "a link to the next page without a cursor")
  })

  it("when an order has no id or no complete, then the response is unexpected", async () => {
    const incomplete = await rejection(clientOf(json(200, { id: 1 }, { ETag: '"v1"' })).orders.get(1))
    assert.include(incomplete.message, "/complete: ")
    const anonymous = await rejection(clientOf(json(200, [{ complete: true }])).orders.list())
    assert.include(anonymous.message, "/0/id: ")
  })

  it("when a newer server returns an additional field, then it is left out", async () => {
    const read = await clientOf(json(200, { ...pet, colour: "red" }, { ETag: '"p3"' })).pets.get(7)
    assert.deepStrictEqual(read, { ...pet, status: "available", version: 3 })
  })
})

describe("given no response", () => {
  it("when the connection broke, then the error has the reason as its cause", async () => {
    const error = await writing(broken)
    assert.instanceOf(error, ConnectionLost)
    assert.deepStrictEqual([error.code, error.status], ["connection_lost", 502])
    assert.deepStrictEqual(error.details, { address, mayBeDone: true })
    assert.include(error.message, `The petstore at ${address} could not be reached`)
    assert.include(String(error.cause), "fetch failed")
    assert.match(error.message, /It is not known whether the request was carried out\.$/)
    assert.match((await reading(broken)).message, /Nothing was changed\.$/)
  })

  it("when the body of the response breaks off, then the connection is lost", async () => {
    const cut: Reply = async () => {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('{"id": 7'))
          controller.error(new TypeError("terminated"))
        }
      })
      return new Response(body, { headers: { "Content-Type": "application/json" } })
    }
    assert.instanceOf(await reading(cut), ConnectionLost)
  })

  it("when it took too long, then the error says for how long it was waited", async () => {
    const error = await rejection(clientOf(silence, { timeout: 5 }).pets.update(7, { name: "Rex" }))
    assert.instanceOf(error, ResponseTimeout)
    assert.deepStrictEqual(error.details, { address, mayBeDone: true, seconds: 0.005 })
    assert.include(error.message, `no response from ${address} within 0.005 s`)
    assert.deepStrictEqual([error.code, error.status], ["no_answer_in_time", 504])
  })
})
