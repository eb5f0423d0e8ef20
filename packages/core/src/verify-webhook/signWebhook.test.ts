import { assert, describe, it } from "@effect/vitest"
import { array, map } from "effect/Arbitrary"
import { Webhook } from "standardwebhooks"
import { message, secretBytes } from "../../testing/src/arbitraries.ts"
import { int } from "../../testing/src/combine.ts"
import { signWebhook } from "./signWebhook.ts"
import { verifyWebhook } from "./verifyWebhook.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

/** Any secret of Standard Webhooks: 24 to 64 bytes. */
const anySecret = map(
  array(int(0, 255), { minLength: 24, maxLength: 64 }),
  (bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`
)

const now = () => Math.floor(Date.now() / 1000)

const eventWith = (text: string) => ({
  id: "evt_01h",
  type: "message.queued",
  timestamp: "2026-11-22T12:00:00.000Z",
  seq: 1,
  subject: "messages/msg_1",
  data: { id: "msg_1", message: text, status: "queued", createdAt: "2026-11-22T12:00:00.000Z" }
})

describe("given the vectors of Standard Webhooks", () => {
  for (const [id, timestamp, body, signature] of [
    [
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1614265330,
      '{"test": 2432232314}',
      "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    ],
    [
      "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
      1674087231,
      '{"type":"contact.created","timestamp":"2022-11-03T20:26:10.344522Z","data":{"id":"1f81eb52-5198-4599-803e-771906343485"}}',
      "ARw42xaAApl/nxRo+iPGYwSaMQaOwMo2eyH5JBRA+bQ="
    ]
  ] as const) {
    it(`when ${id} is signed, then the headers are those of the vector`, async () => {
      assert.deepStrictEqual(await signWebhook(secret, { id, timestamp, body }), {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": `v1,${signature}`
      })
      assert.strictEqual(new Webhook(secret).sign(id, new Date(timestamp * 1000), body), `v1,${signature}`)
    })
  }
})

describe("given any secret and any body", () => {
  it.prop("when we sign, then the library verifies it", { key: anySecret, text: message }, async ({ key, text }) => {
    const body = JSON.stringify(eventWith(text))
    const headers = await signWebhook(key, { id: "evt_01h", timestamp: now(), body })
    assert.deepStrictEqual(new Webhook(key).verify(body, headers), eventWith(text))
  })

  it.prop("when the library signs, then we verify it", { key: anySecret, text: message }, async ({ key, text }) => {
    const body = JSON.stringify(eventWith(text))
    const date = new Date()
    const headers = {
      "webhook-id": "evt_01h",
      "webhook-timestamp": String(Math.floor(date.getTime() / 1000)),
      "webhook-signature": new Webhook(key).sign("evt_01h", date, body)
    }
    assert.deepStrictEqual<unknown>(await verifyWebhook(key, headers, body), eventWith(text))
  })

  it.prop(
    "when bytes and their text are signed, then the signatures are the same",
    { text: message },
    async ({ text }) => {
      const content = { id: "evt_1", timestamp: 1, body: text }
      const bytes = { ...content, body: new TextEncoder().encode(text) }
      assert.deepStrictEqual(await signWebhook(secret, bytes), await signWebhook(secret, content))
    }
  )
})

describe("given two secrets, as during a rotation", () => {
  it.prop(
    "when a webhook is signed with both, then the library and we verify it with either alone, and not with a third",
    { a: secretBytes, b: secretBytes, c: secretBytes },
    async ({ a, b, c }) => {
      const [first, second, third] = [a, b, c].map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`)
      if (first === undefined || second === undefined || third === undefined) return assert.fail()
      const body = JSON.stringify(eventWith("hello"))
      const headers = await signWebhook([first, second], { id: "evt_01h", timestamp: now(), body })
      assert.match(headers["webhook-signature"], /^v1,\S{44} v1,\S{44}$/)
      for (const known of [first, second]) {
        assert.deepStrictEqual<unknown>(await verifyWebhook(known, headers, body), eventWith("hello"))
        assert.deepStrictEqual(new Webhook(known).verify(body, headers), eventWith("hello"))
      }
      if (third === first || third === second) return
      const refused = await verifyWebhook(third, headers, body).catch((error: unknown) => error)
      assert.propertyVal(refused, "code", "signature_mismatch")
      assert.throws(() => new Webhook(third).verify(body, headers))
      assert.deepStrictEqual<unknown>(await verifyWebhook([third, first], headers, body), eventWith("hello"))
    }
  )
})

describe("given something else than a secret", () => {
  it("when a webhook is signed with it, then the error says what it is", async () => {
    const cases = [
      [{}, "of type object"],
      [undefined, "of type undefined"],
      [null, "null"],
      [5, "of type number"]
    ]
    for (const [secret, what] of cases) {
      const signed = signWebhook(secret as never, { id: "evt_01h", timestamp: now(), body: "{}" })
      const refused = await signed.catch((error: unknown) => error)
      assert.propertyVal(refused, "code", "invalid_secret")
      assert.match(String(refused), new RegExp(`The secret is ${what}\\. Pass the secret of the endpoint`))
    }
  })
})

describe("given a request that was not awaited", () => {
  it("when it is verified, then the error says what to await", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const body = JSON.stringify(eventWith("hello"))
    const headers = await signWebhook(secret, { id: "evt_01h", timestamp: now(), body })
    const refusals = [
      [verifyWebhook(secret, headers, Promise.resolve(body) as never), /The body is a promise: await it/],
      [verifyWebhook(secret, Promise.resolve(headers) as never, body), /The headers are a promise: await them/],
      [verifyWebhook(secret, headers, body, { [Symbol("now")]: 1 } as never), /does not know the option Symbol\(now\)/]
    ] as const
    for (const [verified, message] of refusals) assert.match(await verified.then(String, String), message)
  })
})
