import type { IncomingHttpHeaders } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Webhook } from "standardwebhooks"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { attributesOf, startOtlpCollector } from "../../../test/support/OtlpCollector.ts"
import { startServer } from "../../../test/support/PetstoreProcess.ts"
import { httpReceiver, textOf } from "../../../test/support/receivers.ts"

const PETSTORE_ADMIN_KEY = "events-admin-key-0123456789"

const live = (name: string, body: (folder: string) => Effect.Effect<void, never, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(temporaryFolder, body)))

/** Sends a request with the admin key, and reads the body of the response. */
const call = (url: string, body?: unknown) =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, {
      signal,
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${PETSTORE_ADMIN_KEY}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    assert.isTrue(response.ok, `${url} responded ${response.status}`)
    return await response.json()
  })

/** Looks again, ten times a second, until what is read is as expected; the time limit of the test ends that. */
const until = <A>(read: Effect.Effect<A>, isExpected: (found: A) => boolean): Effect.Effect<A> =>
  Effect.flatMap(read, (found) =>
    isExpected(found)
      ? Effect.succeed(found)
      : Effect.andThen(
          Effect.sleep("100 millis"),
          Effect.suspend(() => until(read, isExpected))
        )
  )

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

describe("petstore serve", () => {
  live(
    "given the built command and a webhook, then it sends events with signatures that standardwebhooks accepts, traced",
    (folder) =>
      Effect.gen(function* () {
        const received: Array<Received> = []
        const receiver = yield* httpReceiver(async (request, response) => {
          received.push({ headers: request.headers, body: await textOf(request) })
          response.writeHead(204).end()
        })
        const collector = yield* startOtlpCollector
        const server = yield* startServer(
          [
            ...["--storage", `sqlite:${join(folder, "pets.db")}`, "--webhook-addresses", "127.0.0.1"],
            ...["--otlp", collector.url]
          ],
          { built: true, env: { PETSTORE_ADMIN_KEY, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" } }
        )
        const url = `http://127.0.0.1:${receiver.port}/hook`
        const { id, secret } = yield* call(`${server.url}/webhooks`, { url, types: ["category.created"] })
        yield* call(`${server.url}/categories`, { name: "Cats" })
        const path = `${server.url}/webhooks/${id}/deliveries`
        yield* until(call(path), ([delivery]) => delivery?.status === "delivered")

        assert.strictEqual(received.length, 1)
        const [{ body, headers } = assert.fail()] = received
        const verify = (signed: string) =>
          new Webhook(secret).verify(body, {
            "webhook-id": String(headers["webhook-id"]),
            "webhook-timestamp": String(headers["webhook-timestamp"]),
            "webhook-signature": signed
          })
        const event = verify(String(headers["webhook-signature"]))
        assert.deepInclude(event, { type: "category.created", subject: "categories/1", seq: 2 })
        assert.throws(() => verify("v1,AAAA"))

        server.child.kill("SIGTERM")
        assert.strictEqual(yield* server.ended, 0)
        const spans = collector.spans()
        const attempt = spans.find(({ name }) => name === "webhooks.deliver") ?? assert.fail()
        const request = spans.find(({ name }) => name === "POST") ?? assert.fail()
        assert.strictEqual(request.parentSpanId, attempt.spanId)
        assert.isUndefined(attempt.parentSpanId)
        assert.deepInclude(attributesOf(attempt), {
          "petstore.webhook.id": id,
          "petstore.delivery.outcome": "delivered"
        })
        assert.deepInclude(attributesOf(request), { "server.port": receiver.port, "http.response.status_code": 204 })
        assert.isTrue(collector.metricNames().has("petstore_webhook_attempts_total"))
      })
  )

  live("given --keep-event-count and --keep-messages, then it removes what is older, and reports so", (folder) =>
    Effect.gen(function* () {
      const storage = `sqlite:${join(folder, "pets.db")}`
      yield* Effect.promise(async () => {
        const delivered = Promise.withResolvers<void>()
        await using petstore = await createPetstore({
          storage: sqlite(join(folder, "pets.db")),
          onMessage: () => delivered.resolve()
        })
        await petstore.messages.enqueue("Hello")
        await delivered.promise
        for (let n = 0; n < 20; n++) await petstore.categories.create({ name: `Category ${n}` })
      })
      const kept = ["--keep-event-count", "5", "--keep-messages", "1 second", "--metrics", "0"]
      const server = yield* startServer(["--storage", storage, ...kept], { env: { PETSTORE_ADMIN_KEY } })
      const [, metricsUrl = ""] = yield* server.said(/Metrics: (http:[^"\s]+)/)
      const metrics = Effect.promise(async (signal) => (await fetch(metricsUrl, { signal })).text())
      const numberOf = (text: string, name: string) =>
        Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, "m").exec(text)?.[1])
      const first = (text: string) => numberOf(text, "petstore_events_earliest")
      // There were 22 events. The removal of the message is one more.
      const text = yield* until(metrics, (found) => first(found) >= 18)
      assert.isAtMost(first(text), numberOf(text, "petstore_events_latest") - 4)
      const { code } = yield* Effect.promise(async (signal) => {
        const headers = { authorization: `Bearer ${PETSTORE_ADMIN_KEY}` }
        return (await fetch(`${server.url}/events?after=0`, { signal, headers })).json()
      })
      assert.strictEqual(code, "cursor_expired")
      yield* until(call(`${server.url}/messages`), (messages) => messages.length === 0)
    })
  )
})
