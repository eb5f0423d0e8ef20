import { readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { verifyWebhook } from "@petstore/core/verify-webhook"
import { webhookSender } from "@petstore/http/webhooks"
import * as Effect from "effect/Effect"
import { clearText, disabledWebhook, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { printed, liveTest as test } from "../../../test/support/cliTest.ts"
import { httpReceiver, textOf } from "../../../test/support/receivers.ts"

expectLogs(clearText, disabledWebhook)

/** A receiver on this machine that notes the types of the events that it has verified. */
const receiver = Effect.gen(function* () {
  const state = { secret: "", status: 204, types: [] as string[], url: "" }
  const { port } = yield* httpReceiver(async (request, response) => {
    const body = await textOf(request)
    // The CLI runs at the time of the test clock.
    const event = await verifyWebhook(state.secret, request.headers, body, { toleranceSeconds: 1e10 })
    state.types.push(event.type)
    response.writeHead(state.status).end()
  })
  state.url = `http://127.0.0.1:${port}/hook`
  return state
})

/** An endpoint whose one delivery was refused with 410, so that it has failed for good. */
const fill = (file: string, state: Effect.Success<typeof receiver>) =>
  Effect.promise(async () => {
    await using petstore = await createPetstore({
      storage: sqlite(file),
      webhooks: webhookSender({ allowLoopback: true })
    })
    const { id, secret } = await petstore.webhooks.create({ url: state.url, types: ["category.created"] })
    state.secret = secret
    state.status = 410
    const disabled = Promise.withResolvers<void>()
    await petstore.events.subscribe(() => disabled.resolve(), { types: ["webhook.disabled"] })
    await petstore.categories.create({ name: "Dogs" })
    await disabled.promise
    return { id: String(id), secret }
  })

const loopback = ["--webhook-addresses", "127.0.0.1"]

describe("webhooks by petstore call", () => {
  test("given an endpoint, then it is listed, tested and scheduled again, all without the secret", ({ file, output }) =>
    Effect.gen(function* () {
      const state = yield* receiver
      const { id, secret } = yield* fill(file, state)
      const texts: Array<string> = []
      const said = (...args: ReadonlyArray<string>) =>
        Effect.tap(output("call", ...args, ...loopback), (text) => Effect.sync(() => texts.push(text)))
      const [webhook] = JSON.parse(yield* said("listWebhooks"))
      assert.deepStrictEqual([webhook.id, webhook.url, webhook.disabledReason], [Number(id), state.url, "gone"])
      assert.strictEqual(yield* said("listDeliveries", `webhookId=${id}`, "status=pending"), "[]")
      assert.deepStrictEqual(JSON.parse(yield* said("redeliver", `webhookId=${id}`, "deliveryId=1")), { scheduled: 1 })
      state.status = 204
      assert.isTrue(JSON.parse(yield* said("testWebhook", `webhookId=${id}`)).delivered)
      assert.deepStrictEqual(state.types, ["category.created", "webhook.test"])
      for (const text of texts) assert.notInclude(text, secret.slice("whsec_".length))
    }).pipe(Effect.scoped))
})

describe("petstore webhooks create", () => {
  test("given a URL and types, then the webhook is created, and its secret is printed once", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const url = "https://example.com/petstore"
      const types = ["order.placed", "order.completed"]
      const { secret, ...made } = JSON.parse(
        yield* output("webhooks", "create", url, "--types", types.join(), "--description", "Accounting", "--ordered")
      )
      assert.match(secret, /^whsec_/)
      assert.deepInclude(made, { id: 1, url, types, description: "Accounting", ordered: true, enabled: true })
      assert.deepStrictEqual(JSON.parse(yield* output("call", "listWebhooks")), [made])
      assert.notProperty(JSON.parse(yield* output("webhooks", "create", url)), "types")
      for (const args of [["http://127.0.0.1/"], [url, "--types", "order.lost"]]) {
        assert.strictEqual((yield* run("webhooks", "create", ...args)).code, 2)
      }
    }))
})

const [key, next] = ["a", "b"].map((letter) => `${letter.repeat(42)}A=`) as [string, string]

describe("petstore webhooks encrypt", () => {
  test("given an endpoint in clear text, then it is encrypted, needs the key, and takes a new one", ({
    file,
    output,
    run
  }) =>
    Effect.gen(function* () {
      const state = yield* receiver
      const { id, secret } = yield* fill(file, state)
      const bytes = () => readFileSync(file, "latin1")
      assert.include(bytes(), secret)

      const keyFile = `${file}.keys`
      const keysAre = (...keys: ReadonlyArray<string>) => writeFileSync(keyFile, `${keys.join("\n")}\n`)
      const withKeys = ["--secret-key-file", keyFile]
      keysAre(key)
      const done = (count: string) => `${count} encrypted; all are encrypted with the first key.`
      assert.strictEqual(yield* output("webhooks", "encrypt", ...withKeys), done("1 webhook was"))
      assert.strictEqual(yield* output("webhooks", "encrypt", ...withKeys), done("0 webhooks were"))

      const without = printed(yield* run("call", "listWebhooks"))
      assert.deepStrictEqual([without.code, without.stdout], [1, ""])
      assert.match(without.stderr, /The url of webhook 1 is encrypted with the key /)
      assert.include(yield* output("call", "listWebhooks", ...withKeys), state.url)
      assert.strictEqual(JSON.parse(yield* output("call", "listDeliveries", `webhookId=${id}`))[0].status, "failed")

      keysAre(next, key)
      assert.strictEqual(yield* output("webhooks", "encrypt", ...withKeys), done("1 webhook was"))
      keysAre(next)
      state.status = 204
      assert.strictEqual(
        JSON.parse(yield* output("call", "testWebhook", `webhookId=${id}`, ...loopback, ...withKeys)).delivered,
        true
      )

      yield* output("verify")
      yield* output("verify", ...withKeys)
      keysAre(key)
      const wrong = printed(yield* run("verify", ...withKeys))
      assert.strictEqual(wrong.code, 1)
      assert.include(wrong.stdout, "BROKEN  What is encrypted of a webhook")
    }).pipe(Effect.scoped))

  test("given no key, or a file without one, then nothing is changed, and no contents are shown", ({ file, run }) =>
    Effect.gen(function* () {
      const state = yield* receiver
      yield* fill(file, state)
      const keyFile = `${file}.keys`
      const fails = (message: RegExp, ...args: ReadonlyArray<string>) =>
        Effect.map(run("webhooks", "encrypt", ...args), (result) => {
          const { code, stderr } = printed(result)
          assert.strictEqual(code, 2)
          assert.match(stderr, message)
          assert.notInclude(stderr, "hunter2")
        })
      yield* fails(/Set PETSTORE_SECRET_KEY, or name a file with --secret-key-file/)
      yield* fails(/The file of secret keys .* cannot be read: ENOENT/, "--secret-key-file", keyFile)
      writeFileSync(keyFile, "hunter2\n")
      yield* fails(/The file of secret keys .* has something else than 32 random bytes/, "--secret-key-file", keyFile)
      yield* fails(/The file of secret keys .* has something else than 32/, "--secret-key-file", "/dev/zero")
      yield* fails(/The file of secret keys .* cannot be read: EISDIR/, "--secret-key-file", dirname(file))
    }).pipe(Effect.scoped))
})
