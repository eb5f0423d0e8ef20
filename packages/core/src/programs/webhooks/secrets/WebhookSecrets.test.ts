import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { changeRow } from "../../../../test/support/writes.ts"
import { adapterOf, delivered, givenSender, settle, url, verified } from "../../../../test/webhooks/sending.ts"
import { parseEnvelope } from "../../../domain/webhooks/secrets/Envelope.ts"
import { createPetstore } from "../../../petstore/createPetstore.ts"
import { Petstore } from "../../../petstore/EffectPetstore.ts"
import { Storage, type StorageAdapter } from "../../../ports/Storage.ts"
import { deliveries, type WebhookRecord, webhooks } from "../../../tables/webhookTables.ts"

const [first, second, third] = ["a", "b", "c"].map((letter) => `${letter.repeat(42)}A=`) as [string, string, string]

const token = `${url}?token=canary-4d1e`

type Keys = string | ReadonlyArray<string> | undefined

/** A petstore on a store that others are open on too. `logged`: what it has logged. */
const given = (adapter: StorageAdapter, secretKey: Keys) => {
  const { sender, sent } = givenSender(() => Effect.succeed(delivered))
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => logged.push(String(message)))])
  // Other processes look for commits: here, each petstore makes its own.
  return Effect.map(
    Layer.build(Layer.provide(Petstore.layer(adapter, { webhooks: sender, secretKey }), logger)),
    (services) => ({ ...Context.get(services, Petstore), storage: Context.get(services, Storage), sent, logged })
  )
}

const stored = ({ storage }: Effect.Success<ReturnType<typeof given>>, id: number) =>
  Effect.map(storage.find(webhooks, id), (record) => record ?? assert.fail(`There is no webhook ${id}`))

const textsOf = ({ previous, secret, webhook }: WebhookRecord): ReadonlyArray<string> => [
  webhook.url,
  secret,
  ...(previous === undefined ? [] : [previous.secret])
]

const keyOf = (text: string): string | undefined => parseEnvelope(text)?.keyId

const codeOf = <A>(call: Effect.Effect<A, { readonly code: string; readonly message: string }>) =>
  Effect.map(Effect.flip(call), ({ code, message }) => `${code}: ${message}`)

describe("given a petstore with a secretKey", () => {
  it.effect(
    "when an endpoint is created, changed and rotated, then the store has none of it, and requests are signed",
    () =>
      Effect.gen(function* () {
        const petstore = yield* given(adapterOf(), first)
        const created = yield* petstore.webhooks.create({ url: token, types: ["category.created"] })
        const { id, secret: before } = created
        const { secret } = yield* petstore.webhooks.rotateSecret(id)
        assert.strictEqual((yield* petstore.webhooks.update(id, { concurrency: 3 })).url, token)
        assert.strictEqual((yield* petstore.webhooks.update(id, { concurrency: 3 })).version, 2)
        assert.strictEqual((yield* petstore.webhooks.get(id)).url, token)
        assert.deepStrictEqual(
          (yield* petstore.webhooks.list()).items.map((webhook) => webhook.url),
          [token]
        )
        yield* petstore.categories.create({ name: "Dogs" })
        yield* settle
        yield* petstore.webhooks.test(id)
        for (const request of petstore.sent) {
          assert.deepStrictEqual(
            [request.url, request.secrets.map((text) => Redacted.value(text))],
            [token, [secret, before]]
          )
        }
        assert.strictEqual(petstore.sent.length, 2)
        const record = yield* stored(petstore, id)
        const text = JSON.stringify(record)
        for (const part of ["canary", "example.com", secret.slice(6, 20), before.slice(6, 20)])
          assert.notInclude(text, part)
        assert.strictEqual(new Set(textsOf(record).map(keyOf)).size, 1)
        assert.notInclude(petstore.logged.join(), "clear text")
        yield* verified(petstore)
      })
  )

  it.effect("when an endpoint is deleted, then its URL and secrets are forgotten", () =>
    Effect.gen(function* () {
      for (const key of [first, undefined]) {
        const petstore = yield* given(adapterOf(), key)
        const { id, secret } = yield* petstore.webhooks.create({ url: token })
        yield* petstore.webhooks.rotateSecret(id)
        yield* petstore.webhooks.delete(id)
        const [record] = yield* petstore.storage.scan(webhooks, [], 1)
        assert.isTrue(record?.deleted)
        assert.isUndefined(record?.previous)
        for (const part of ["canary", "sealed", secret.slice(6)]) assert.notInclude(JSON.stringify(record), part)
        yield* verified(petstore)
      }
    })
  )

  it.effect("when two endpoints have the same URL, then that does not show", () =>
    Effect.gen(function* () {
      const petstore = yield* given(adapterOf(), first)
      const { id } = yield* petstore.webhooks.create({ url: token })
      const { id: other } = yield* petstore.webhooks.create({ url: token })
      assert.notStrictEqual((yield* stored(petstore, id)).webhook.url, (yield* stored(petstore, other)).webhook.url)
    })
  )
})

describe("given endpoints that were stored in clear text", () => {
  it.effect(
    "when a petstore with a key opens, then it reads them, and encrypts one when it writes it, and all if told to",
    () =>
      Effect.gen(function* () {
        const adapter = adapterOf()
        const clear = yield* given(adapter, undefined)
        const { id, secret } = yield* clear.webhooks.create({ url: token })
        const { id: other } = yield* clear.webhooks.create({ url: token })
        assert.deepStrictEqual(textsOf(yield* stored(clear, id)), [token, secret])

        const petstore = yield* given(adapter, first)
        assert.strictEqual((yield* petstore.webhooks.get(id)).url, token)
        yield* petstore.webhooks.update(id, { concurrency: 1 })
        assert.isDefined(keyOf((yield* stored(petstore, id)).secret))
        assert.strictEqual(yield* petstore.encryptSecrets, 1)
        assert.isDefined(keyOf((yield* stored(petstore, other)).secret))
        assert.strictEqual(yield* petstore.encryptSecrets, 0)
        yield* petstore.webhooks.test(id)
        assert.deepStrictEqual(petstore.sent[0]?.secrets.map(Redacted.value), [secret])
        yield* verified(petstore)
      })
  )
})

describe("given a new key before the old one", () => {
  it.effect("when the secrets are encrypted again, then the old key is not needed any more", () =>
    Effect.gen(function* () {
      const adapter = adapterOf()
      const old = yield* given(adapter, first)
      const { id, secret } = yield* old.webhooks.create({ url: token })
      const { secret: next } = yield* old.webhooks.rotateSecret(id)

      const both = yield* given(adapter, [second, first])
      assert.strictEqual((yield* both.webhooks.get(id)).url, token)
      assert.strictEqual(yield* both.encryptSecrets, 1)
      assert.match(
        yield* codeOf(old.webhooks.get(id)),
        /^secret_unreadable: The url of webhook 1 is encrypted with the key /
      )

      const alone = yield* given(adapter, second)
      yield* alone.webhooks.test(id)
      assert.deepStrictEqual(alone.sent[0]?.secrets.map(Redacted.value), [next, secret])
      yield* verified(alone)
    })
  )

  it.effect(
    "when some cannot be decrypted, then all others are encrypted, and the error names the first of these",
    () =>
      Effect.gen(function* () {
        const adapter = adapterOf()
        const { id } = yield* (yield* given(adapter, third)).webhooks.create({ url: token })
        const petstore = yield* given(adapter, [first])
        const { id: other } = yield* petstore.webhooks.create({ url: token })
        const both = yield* given(adapter, [second, first])
        assert.match(yield* codeOf(both.encryptSecrets), new RegExp(`^secret_unreadable: The url of webhook ${id} `))
        assert.strictEqual(
          yield* (yield* given(adapter, second)).webhooks.get(other).pipe(Effect.map((it) => it.url)),
          token
        )
      })
  )
})

describe("given endpoints that are encrypted with another key", () => {
  const cases: ReadonlyArray<readonly [what: string, keys: Keys, message: RegExp]> = [
    [
      "no key",
      undefined,
      /^secret_unreadable: The url of webhook 1 is encrypted with the key [\w-]{8}, and this petstore has no secretKey\./
    ],
    [
      "another key",
      second,
      /^secret_unreadable: The url of webhook 1 is encrypted with the key [\w-]{8}, and the secretKey of this petstore is [\w-]{8}\./
    ]
  ]
  for (const [what, keys, message] of cases) {
    it.effect(
      `when a petstore with ${what} opens, then it says so, sends nothing, keeps deliveries, and does all else`,
      () =>
        Effect.gen(function* () {
          const adapter = adapterOf()
          const { id, record, secret } = yield* Effect.scoped(
            Effect.gen(function* () {
              const owner = yield* given(adapter, first)
              const created = yield* owner.webhooks.create({ url: token, types: ["category.created"] })
              return { ...created, record: yield* stored(owner, created.id) }
            })
          )

          const petstore = yield* given(adapter, keys)
          const { webhooks } = petstore
          yield* settle
          yield* petstore.categories.create({ name: "Dogs" })
          for (const call of [
            webhooks.get(id),
            webhooks.list(),
            webhooks.update(id, { concurrency: 2 }),
            webhooks.test(id),
            webhooks.rotateSecret(id)
          ]) {
            assert.match(yield* codeOf<unknown>(call), message)
          }
          yield* settle
          assert.lengthOf(
            petstore.logged.filter((line) => line.includes("webhook 1")),
            1
          )
          assert.deepStrictEqual(petstore.sent, [])
          const [delivery] = yield* petstore.storage.scan(deliveries, [], 9)
          assert.deepInclude(delivery?.delivery, { status: "pending", attempts: 0 })
          assert.deepStrictEqual(delivery?.lease, { fence: 0 })
          assert.strictEqual((yield* webhooks.deliveries(id)).items.length, 1)
          assert.deepStrictEqual(textsOf(yield* stored(petstore, id)), textsOf(record))
          const { checks } = yield* petstore.verify
          const broken = checks.filter(({ violations }) => violations > 0).map(({ name }) => name)
          assert.deepStrictEqual(broken, keys === undefined ? [] : ["secrets_readable"])
          for (const line of petstore.logged)
            for (const part of ["canary", secret.slice(6)]) assert.notInclude(line, part)

          // A lost key: the endpoint gets another URL and secret, or goes.
          yield* webhooks.update(id, { url: "https://example.com/new" })
          const { secret: next } = yield* webhooks.rotateSecret(id, { graceSeconds: 0 })
          yield* webhooks.test(id)
          assert.deepStrictEqual(petstore.sent.at(-1)?.secrets.map(Redacted.value), [next])
          yield* webhooks.delete(id)
        })
    )
  }
})

describe("given a row that another program has changed", () => {
  const flipped = (text: string, place: number): string =>
    text.slice(0, place) + (text[place] === "A" ? "B" : "A") + text.slice(place + 1)
  const tamperings: Readonly<Record<string, (record: WebhookRecord, other: WebhookRecord) => WebhookRecord>> = {
    "the URL of another webhook": (record, { webhook: { url: of } }) => ({
      ...record,
      webhook: { ...record.webhook, url: of }
    }),
    "the secret of another webhook": (record, { secret }) => ({ ...record, secret }),
    "the old secret in place of the new one": (record) => ({ ...record, secret: record.previous?.secret ?? "" }),
    "the old secret of another webhook": (record, { previous }) => ({
      ...record,
      ...(previous === undefined ? {} : { previous })
    }),
    "its secret as the URL": (record) => ({ ...record, webhook: { ...record.webhook, url: record.secret.slice(6) } }),
    "a URL that is cut": (record) => ({
      ...record,
      webhook: { ...record.webhook, url: record.webhook.url.slice(0, -4) }
    }),
    "a secret of a later form": (record) => ({ ...record, secret: record.secret.replace("v1", "v2") })
  }
  for (const [what, tamper] of Object.entries(tamperings)) {
    it.effect(`to ${what}, then nothing is sent, and the error and verify say it`, () =>
      Effect.gen(function* () {
        const adapter = adapterOf()
        const petstore = yield* given(adapter, first)
        const { id } = yield* petstore.webhooks.create({ url: token })
        const { id: other } = yield* petstore.webhooks.create({ url: token })
        for (const one of [id, other]) yield* petstore.webhooks.rotateSecret(one)
        const record = tamper(yield* stored(petstore, id), yield* stored(petstore, other))
        const { storage } = petstore
        yield* changeRow(storage, webhooks, id, () => record)
        assert.match(
          yield* codeOf(petstore.webhooks.test(id)),
          /^secret_unreadable: The (url|secret|previous_secret) of webhook 1 is /
        )
        assert.deepStrictEqual(petstore.sent, [])
        const { checks } = yield* petstore.verify
        assert.strictEqual(checks.find(({ name }) => name === "secrets_readable")?.violations, 1)
      })
    )
  }

  it.effect("in any character, then it cannot be decrypted", () =>
    Effect.gen(function* () {
      const adapter = adapterOf()
      const petstore = yield* given(adapter, first)
      const { id } = yield* petstore.webhooks.create({ url: token })
      const record = yield* stored(petstore, id)
      const { storage } = petstore
      // Behind what makes it an encrypted text at all.
      for (let place = "sealed.".length; place < record.webhook.url.length; place++) {
        const webhook = { ...record.webhook, url: flipped(record.webhook.url, place) }
        yield* changeRow(storage, webhooks, id, () => ({ ...record, webhook }))
        assert.match(yield* codeOf(petstore.webhooks.get(id)), /^secret_unreadable: /, `place ${place}`)
      }
    })
  )
})

it("given a value that is no key, then the option is rejected without the value", async () => {
  for (const bad of ["hunter2", "", [], [first, "hunter2"], `${first}${first}`, 7]) {
    const error = await createPetstore({ secretKey: bad as string }).then(
      () => assert.fail("It opened"),
      (cause: unknown) => cause
    )
    assert.instanceOf(error, TypeError)
    assert.match(String(error), /option secretKey takes 32 random bytes in base64/)
    assert.notInclude(String(error), "hunter2")
  }
})
