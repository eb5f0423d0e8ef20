import type { IncomingHttpHeaders } from "node:http"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { int } from "../../testing/src/combine.ts"
import type { Event } from "../domain/events/Event.ts"
import type { WebhookEvent, WebhookTest } from "../domain/webhooks/Webhook.ts"
import { signWebhook } from "./signWebhook.ts"
import { type VerifyWebhookOptions, verifyWebhook } from "./verifyWebhook.ts"
import type { WebhookHeaders } from "./WebhookHeaders.ts"
import { WebhookVerificationError } from "./WebhookVerificationError.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`
const timestamp = 1_790_000_000
const now = timestamp * 1000

const event: Event<"pet.deleted"> = {
  id: "evt_1",
  type: "pet.deleted",
  timestamp: "2026-11-22T12:00:00.000Z",
  seq: 7,
  subject: "pets/7",
  data: { id: 7 }
}
const body = JSON.stringify(event)
const headers = await signWebhook(secret, { id: event.id, timestamp, body })

const failureOf = async (
  changes: {
    readonly secret?: string | ReadonlyArray<string>
    readonly headers?: WebhookHeaders
    readonly body?: string | Uint8Array
  } & VerifyWebhookOptions
): Promise<WebhookVerificationError> => {
  const { body: sent, headers: signed, secret: known, ...options } = { secret, headers, body, now, ...changes }
  const failure = await verifyWebhook(known, signed, sent, options).then(
    () => assert.fail("It was accepted"),
    (error: unknown) => error
  )
  return failure instanceof WebhookVerificationError ? failure : assert.fail(String(failure))
}

const codeOf = async (changes: Parameters<typeof failureOf>[0]) => (await failureOf(changes)).code

/** A signed request with this body. */
const signed = async (text: string | Uint8Array) => ({
  headers: await signWebhook(secret, { id: "evt_1", timestamp, body: text }),
  body: text
})

describe("given a webhook that a petstore signed", () => {
  it("when it is verified, then the event is returned, typed by its type", async () => {
    const verified = await verifyWebhook(secret, headers, body, { now })
    assert.deepStrictEqual<WebhookEvent>(verified, event)
    if (verified.type === "order.completed") assert.isTrue(verified.data.complete satisfies boolean)
  })

  const node: IncomingHttpHeaders = { host: "a", ...headers, "set-cookie": ["a=1", "b=2"] }
  for (const [form, given] of Object.entries<WebhookHeaders>({
    "a Headers object": new Headers(headers),
    "the headers of node:http": node,
    "a record in another case": {
      "Webhook-Id": headers["webhook-id"],
      "WEBHOOK-TIMESTAMP": headers["webhook-timestamp"],
      "Webhook-Signature": headers["webhook-signature"]
    },
    "a record of lists": Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    "a Map": new Map(Object.entries(headers)),
    "a record without a prototype": Object.assign(Object.create(null), headers)
  })) {
    it(`when its headers are ${form}, then it is accepted`, async () => {
      assert.deepStrictEqual<WebhookEvent>(await verifyWebhook(secret, given, body, { now }), event)
    })
  }

  const bytes = new TextEncoder().encode(body)
  const within = new Uint8Array(bytes.length + 20)
  within.set(bytes, 9)
  for (const [form, given] of Object.entries<string | Uint8Array | ArrayBuffer>({
    "a string": body,
    "a Uint8Array": bytes,
    "a Buffer": Buffer.from(body),
    "an ArrayBuffer": Uint8Array.from(bytes).buffer,
    "an ArrayBuffer of another realm": runInNewContext("Uint8Array.from(bytes).buffer", { bytes }),
    "a Uint8Array of another realm": runInNewContext("Uint8Array.from(bytes)", { bytes }),
    "a part of a larger buffer": within.subarray(9, 9 + bytes.length)
  })) {
    it(`when its body is ${form}, then it is accepted`, async () => {
      assert.deepStrictEqual<WebhookEvent>(await verifyWebhook(secret, headers, given, { now }), event)
    })
  }

  it("when its type is one that this version does not know, then it is returned too", async () => {
    const unknown = JSON.stringify({ ...event, type: "pet.adopted" })
    const { body: sent, headers: given } = await signed(unknown)
    assert.strictEqual<string>((await verifyWebhook(secret, given, sent, { now })).type, "pet.adopted")
  })

  it("when it is a test of the endpoint, then it is returned, typed as one", async () => {
    const { seq: _, ...rest } = event
    const test: WebhookTest = { ...rest, type: "webhook.test", subject: "webhooks/3", data: { id: 3 } }
    const { body: sent, headers: given } = await signed(JSON.stringify(test))
    const verified = await verifyWebhook(secret, given, sent, { now })
    assert.deepStrictEqual<WebhookEvent>(verified, test)
    if (verified.type === "webhook.test") assert.strictEqual(verified satisfies WebhookTest, verified)
  })

  it("when other signatures are beside the right one, then it is accepted", async () => {
    const signature = `v1a,${Buffer.alloc(64).toString("base64")} v1,short ${headers["webhook-signature"]} v2,x`
    const given = { ...headers, "webhook-signature": signature }
    assert.deepStrictEqual<WebhookEvent>(await verifyWebhook(secret, given, body, { now }), event)
  })
})

describe("given the time of a webhook", () => {
  for (const seconds of [-300, 0, 300]) {
    it(`when the clock differs by ${seconds} s, then it is accepted`, async () => {
      assert.deepStrictEqual<WebhookEvent>(
        await verifyWebhook(secret, headers, body, { now: now + seconds * 1000 }),
        event
      )
    })
  }

  it("when it is older than 5 minutes, then it is refused, and the message names its age", async () => {
    const { code, message, status } = await failureOf({ now: now + 301_000 })
    assert.deepStrictEqual([code, status], ["timestamp_too_old", 400])
    assert.include(message, "signed 301 s ago")
  })

  it("when it is from more than 5 minutes ahead, then it is refused", async () => {
    assert.strictEqual(await codeOf({ now: now - 301_000 }), "timestamp_too_new")
  })

  it("when a tolerance is given, then it holds in both directions", async () => {
    assert.strictEqual(await codeOf({ now: now + 2_000, toleranceSeconds: 1 }), "timestamp_too_old")
    assert.strictEqual(await codeOf({ now: now - 2_000, toleranceSeconds: 1 }), "timestamp_too_new")
    await verifyWebhook(secret, headers, body, { now: now + 86_400_000, toleranceSeconds: 86_400 })
  })

  it("when no time is given, then it is the time of the system", async () => {
    const recent = await signWebhook(secret, { id: "evt_1", timestamp: Math.floor(Date.now() / 1000), body })
    await verifyWebhook(secret, recent, body)
    const old = await verifyWebhook(secret, await signWebhook(secret, { id: "evt_1", timestamp: 1, body }), body).catch(
      (error: unknown) => error
    )
    assert.propertyVal(old, "code", "timestamp_too_old")
  })

  for (const [options, message] of [
    [{ tolerance: 60 }, /does not know the option tolerance; it takes toleranceSeconds, now/],
    [60, /takes an object of options, such as \{ toleranceSeconds: 300 \}, not 60/],
    [{ toleranceSeconds: "300" }, /toleranceSeconds takes a number of seconds, 0 or more, not "300"/],
    [{ now: new Date(now) }, /The option now takes milliseconds since 1970, not a Date/]
  ] as const) {
    it(`when the options are ${JSON.stringify(options)}, then a TypeError says what it takes`, async () => {
      const failure = await verifyWebhook(secret, headers, body, options as never).catch((error) => error)
      assert.instanceOf(failure, TypeError)
      assert.match(failure.message, message)
    })
  }

  for (const toleranceSeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`when the tolerance is ${toleranceSeconds}, then a TypeError says what it takes`, async () => {
      const failure = await verifyWebhook(secret, headers, body, { now, toleranceSeconds }).catch((error) => error)
      assert.instanceOf(failure, TypeError)
    })
  }
})

describe("given a request that was changed", () => {
  it.prop(
    "when one bit of the body is flipped, then it is refused",
    { place: int(0, body.length - 1), bit: int(0, 7) },
    async ({ bit, place }) => {
      const changed = Buffer.from(body)
      changed[place] = (changed[place] ?? 0) ^ (1 << bit)
      assert.strictEqual(await codeOf({ body: changed }), "signature_mismatch")
    }
  )

  it.prop(
    "when one character of a header is replaced, then it is refused",
    { name: int(0, 2), place: int(0, 100), character: int(0x20, 0x7e) },
    async ({ character, name, place }) => {
      const [header = "", value = ""] = Object.entries(headers)[name] ?? []
      const at = place % value.length
      const changed = value.slice(0, at) + String.fromCharCode(character) + value.slice(at + 1)
      if (changed === value) return
      const code = await codeOf({ headers: { ...headers, [header]: changed }, toleranceSeconds: 1e12 })
      assert.include(["signature_mismatch", "malformed_header"], code)
    },
    { arbitrary: { runs: 500 } }
  )

  it("when something was appended to the body or cut from it, then it is refused", async () => {
    for (const changed of [`${body} `, ` ${body}`, body.slice(0, -1), "", `\ufeff${body}`]) {
      assert.strictEqual(await codeOf({ body: changed }), "signature_mismatch")
    }
  })

  it("when the body was parsed and serialized again, then it is refused, and the message names the cause", async () => {
    const { code, message } = await failureOf({ body: JSON.stringify(event, null, 2) })
    assert.strictEqual(code, "signature_mismatch")
    assert.include(message, "serialized again")
  })

  it("when it was signed with another secret, then it is refused, whatever else is right", async () => {
    assert.strictEqual(await codeOf({ secret: other }), "signature_mismatch")
    assert.strictEqual(await codeOf({ secret: [other, other] }), "signature_mismatch")
  })

  it("when parts of the signed text move between id and body, then it is refused", async () => {
    const given = await signWebhook(secret, { id: "evt_1", timestamp, body: `${timestamp}.{}` })
    const shifted = { ...given, "webhook-id": `evt_1.${timestamp}`, "webhook-timestamp": String(timestamp) }
    assert.strictEqual(await codeOf({ headers: shifted, body: "{}" }), "malformed_header")
  })
})

describe("given malformed headers", () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"] as const) {
    it(`when ${name} is missing, then the error names it`, async () => {
      const { code, message, status } = await failureOf({ headers: { ...headers, [name]: undefined } })
      assert.deepStrictEqual([code, status], ["missing_header", 400])
      assert.include(message, name)
      const others = new Headers(headers)
      others.delete(name)
      assert.strictEqual(await codeOf({ headers: others }), "missing_header")
    })

    it(`when ${name} is there twice, then it is refused`, async () => {
      const twice = [headers[name], headers[name]]
      assert.strictEqual(await codeOf({ headers: { ...headers, [name]: twice } }), "malformed_header")
      assert.strictEqual(
        await codeOf({ headers: { ...headers, [name.toUpperCase()]: headers[name] } }),
        "malformed_header"
      )
      if (name === "webhook-signature") return // Two values of a Headers object are one list of signatures.
      const joined = new Headers(headers)
      joined.append(name, headers[name])
      assert.strictEqual(await codeOf({ headers: joined }), "malformed_header")
    })

    it(`when ${name} is empty, then it is refused`, async () => {
      assert.strictEqual(await codeOf({ headers: { ...headers, [name]: "" } }), "malformed_header")
    })
  }

  for (const value of [
    "soon",
    "-1",
    "+1",
    "1e9",
    "0x10",
    "1790000000.5",
    " 1790000000",
    "01790000000",
    "9".repeat(13)
  ]) {
    it(`when the timestamp is ${JSON.stringify(value)}, then it is refused`, async () => {
      assert.strictEqual(await codeOf({ headers: { ...headers, "webhook-timestamp": value } }), "malformed_header")
    })
  }

  for (const value of [
    "v1",
    "v1,",
    "v1, ",
    "v1a,AAAA",
    "sha256=abc",
    `v1,${"A".repeat(44)}`,
    headers["webhook-signature"].slice(3)
  ]) {
    it(`when the signature is ${JSON.stringify(value)}, then it is refused`, async () => {
      const code = await codeOf({ headers: { ...headers, "webhook-signature": value } })
      assert.include(["malformed_header", "signature_mismatch"], code)
    })
  }

  it("when there are more than ten signatures, then they are not all tried", async () => {
    const many = Array.from({ length: 11 }, () => headers["webhook-signature"]).join(" ")
    assert.strictEqual(await codeOf({ headers: { ...headers, "webhook-signature": many } }), "malformed_header")
  })

  it("when there are no headers at all, then the error says so", async () => {
    for (const none of [undefined, null, "webhook-id: 1"]) {
      // @ts-expect-error plain JavaScript may pass anything
      assert.strictEqual(await codeOf({ headers: none }), "missing_header")
    }
  })
})

describe("given a body that is not the raw one", () => {
  for (const parsed of [event, undefined, null, 7, [event], new URLSearchParams(), new Blob([body])]) {
    it(`when it is ${Object.prototype.toString.call(parsed)}, then the error says to pass the raw bytes`, async () => {
      // @ts-expect-error what a framework leaves in request.body
      const failure = await verifyWebhook(secret, headers, parsed, { now }).catch((error: unknown) => error)
      assert.instanceOf(failure, WebhookVerificationError)
      assert.deepStrictEqual([failure.code, failure.status], ["parsed_body", 500])
      const what = parsed === undefined || parsed === null ? "absent" : "neither bytes nor text"
      assert.include(failure.message, `The body is ${what}: it was read or parsed before. Pass the raw bytes`)
      assert.include(failure.message, "express.raw")
    })
  }

  for (const text of [
    "",
    "hello",
    "[]",
    "null",
    "7",
    "{}",
    '{"type":"pet.deleted"}',
    JSON.stringify({ ...event, data: [] })
  ]) {
    it(`when the signed body is ${JSON.stringify(text)}, then it is refused as no event`, async () => {
      assert.strictEqual(await codeOf(await signed(text)), "malformed_body")
    })
  }

  it("when the signed body is not UTF-8, then it is refused as no event", async () => {
    assert.strictEqual(await codeOf(await signed(Uint8Array.of(0x22, 0xff, 0x22))), "malformed_body")
  })
})

describe("given something that is not a secret", () => {
  const short = `whsec_${Buffer.alloc(23).toString("base64")}`
  const long = `whsec_${Buffer.alloc(65).toString("base64")}`
  const canary = "c2VjcmV0Y2FuYXJ5c2VjcmV0Y2FuYXJ5c2VjcmV0Y2FuYXJ5"
  for (const bad of [
    "",
    "whsec_",
    canary,
    `WHSEC_${canary}`,
    `whsec_${canary}\n`,
    ` whsec_${canary}`,
    `whsec_${canary}=`,
    `whsec_${canary.slice(1)}`,
    `whsec_${canary.replace("c", "-")}`,
    short,
    long,
    undefined,
    null,
    {}
  ]) {
    it(`when it is ${JSON.stringify(bad)}, then the error says what to pass, and does not show it`, async () => {
      // @ts-expect-error plain JavaScript may pass anything, such as a setting that is missing
      const failure = await failureOf({ secret: bad === undefined ? [bad] : bad })
      assert.deepStrictEqual([failure.code, failure.status], ["invalid_secret", 500])
      assert.include(failure.message, "secret of the endpoint")
      for (const text of [failure.message, failure.stack ?? "", JSON.stringify(failure)]) {
        assert.notInclude(text, canary.slice(4, 20))
      }
    })
  }

  for (const [bad, problem] of [
    [undefined, "is of type undefined"],
    [null, "is null"],
    [` whsec_${canary}`, "has white space around it"],
    [canary, "does not start with whsec_"],
    [short, "is not whsec_ with 24 to 64 bytes in base64"]
  ] as const) {
    it(`when it ${problem}, then the error says that`, async () => {
      // @ts-expect-error plain JavaScript may pass anything, such as a setting that is missing
      assert.include((await failureOf({ secret: [bad] })).message, `The secret ${problem}`)
    })
  }

  it("when one of several is not a secret, then that is the error, although another fits", async () => {
    assert.strictEqual(await codeOf({ secret: [secret, "whsec_"] }), "invalid_secret")
    assert.strictEqual(await codeOf({ secret: [] }), "invalid_secret")
  })

  it("when secrets have 24 or 64 bytes, then they are accepted", async () => {
    for (const length of [24, 64]) {
      const key = `whsec_${Buffer.alloc(length, 3).toString("base64")}`
      const given = await signWebhook(key, { id: "evt_1", timestamp, body })
      assert.deepStrictEqual<WebhookEvent>(await verifyWebhook(key, given, body, { now }), event)
    }
  })

  it("when signing with one, then that rejects too", async () => {
    const failure = await signWebhook("hunter2", { id: "evt_1", timestamp, body }).catch((error: unknown) => error)
    assert.propertyVal(failure, "code", "invalid_secret")
  })
})
