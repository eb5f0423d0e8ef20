import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { EventType } from "@petstore/core/domain"
import * as EffectPetstore from "@petstore/core/effect"
import { MessageQueue } from "@petstore/core/runtime"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import type { OpenApi } from "@petstore/http/openapi"
import { webhookSender } from "@petstore/http/webhooks"
import { command, history, runCommand } from "@petstore/testing"
import { array, sampleEffect } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { clearText, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { closedSchemas } from "../../test/support/closedSchemas.ts"
import { temporaryFolder } from "../../test/support/folder.ts"
import { httpReceiver, textOf } from "../../test/support/receivers.ts"

expectLogs(clearText)

const key = "test-admin-key-0123456789"

/** A petstore as others reach it: with a client, the document that it serves, and a check against its schemas. */
const served = (petstore: Petstore) =>
  Effect.gen(function* () {
    const handler = yield* Effect.acquireRelease(
      Effect.sync(() => createHandler(petstore, { adminKey: Redacted.make(key) })),
      ({ close }) => Effect.promise(close)
    )
    const fetch = (path: string) =>
      handler.fetch(new Request(`http://pets.example${path}`, { headers: { authorization: `Bearer ${key}` } }))
    const document = yield* Effect.promise(async (): Promise<OpenApi> => (await fetch("/openapi.json")).json())
    const client = createClient({
      baseUrl: "http://pets.example/v1",
      key,
      fetch: (url, init) => handler.fetch(new Request(url, init))
    })
    return { client, document, fetch, violations: closedSchemas(document) }
  })

const finish = (outcome: "delivered" | { readonly error: string }) =>
  Effect.gen(function* () {
    const queue = yield* MessageQueue
    const { items } = yield* queue.recordAndClaim([], 1, 30_000)
    for (const { fence, id } of items) yield* queue.recordAndClaim([{ item: { id, fence }, outcome }], 0, 0)
    yield* TestClock.adjust("10 hours")
  })

/** Records an event of every type. */
const everything = Effect.gen(function* () {
  const { accounts, apiKeys, categories, events, inventory, messages, orders, pets, records, webhooks } =
    yield* EffectPetstore.Petstore
  yield* categories.create({ name: "Dogs" })
  yield* categories.create({ name: "Cats", description: "All that purr" })
  yield* categories.update(2, { description: null })
  yield* categories.delete(2)
  yield* pets.create({ name: "Rex", categoryId: 1 })
  yield* pets.create({ name: "Tom", categoryId: 1, status: "pending" })
  yield* pets.update(1, { name: "Max" })
  yield* pets.delete(2)
  yield* inventory.set(1, 5)
  yield* orders.place({ quantity: 2 })
  yield* orders.update(1, { petId: 1 })
  yield* orders.complete(1)
  yield* orders.place({ petId: 1, quantity: 3, shipDate: "2030-01-01T00:00:00Z" })
  yield* orders.cancel(2)
  yield* orders.place({ petId: 1 }, { reserveFor: "1 minute" })
  yield* TestClock.adjust("1 hour")
  yield* records.update("pets", 1, { externalId: "A-1" })
  yield* records.update("categories", 1, { metadata: { aisle: "7" } })
  yield* records.update("orders", 1, { metadata: { gift: "yes" } })
  yield* messages.enqueue("It works")
  yield* finish("delivered")
  yield* messages.enqueue("It fails")
  yield* Effect.replicateEffect(finish({ error: "No connection" }), 10)
  const queue = yield* MessageQueue
  yield* queue.purge("2100-01-01T00:00:00.000Z", 100)
  yield* webhooks.create({ url: "https://example.com/hook", types: ["pet.created"], description: "Ours" })
  yield* webhooks.update(1, { concurrency: 1, types: null })
  yield* webhooks.update(1, { enabled: false })
  yield* webhooks.delete(1)
  yield* accounts.create({ name: "Shop" })
  yield* apiKeys.create({ accountId: 1, name: "Till", preset: "read", expiresAt: "2100-01-01T00:00:00Z" })
  yield* apiKeys.rotate(1)
  yield* apiKeys.revoke(1)
  return yield* events.latest
})

describe("what is sent of the events", () => {
  it.live(
    "given an event of every type, when webhooks carry them, then each request is as the served document has it",
    () =>
      Effect.gen(function* () {
        const file = join(yield* temporaryFolder, "petstore.db")
        const latest = yield* everything.pipe(
          Effect.provide(EffectPetstore.Petstore.layer(sqlite(file))),
          Effect.provide(TestClock.layer())
        )
        const sender = webhookSender({ allowLoopback: true })
        const petstore = yield* Effect.acquireRelease(
          Effect.promise(() => createPetstore({ storage: sqlite(file), webhooks: sender })),
          (opened) => Effect.promise(() => opened.close())
        )
        const { client, document, violations } = yield* served(petstore)

        const received: Array<{ readonly headers: Headers; readonly body: { readonly type: string } }> = []
        let onRequest = (): void => {}
        const { port } = yield* httpReceiver(async (request, response) => {
          const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
          received.push({ headers, body: JSON.parse(await textOf(request)) })
          response.writeHead(204).end()
          onRequest()
        })
        const arrived = (count: number) =>
          Effect.promise(async () => {
            while (received.length < count) {
              await new Promise<void>((resolve) => {
                onRequest = resolve
              })
            }
          })

        const url = `http://127.0.0.1:${port}/hook`
        const types = EventType.literals.filter((type) => type.startsWith("apiKey."))
        const ofKeys = yield* Effect.promise(() => client.webhooks.create({ url, types }))
        const { id } = yield* Effect.promise(() => client.webhooks.create({ url }))
        for (const each of [id, ofKeys.id])
          yield* Effect.promise(() => client.webhooks.redeliver(each, { after: 0, through: latest }))
        yield* arrived(latest)
        assert.deepInclude(yield* Effect.promise(() => client.webhooks.test(id)), { delivered: true })

        assert.lengthOf(received, latest + 1)
        assert.sameMembers([...new Set(received.map(({ body }) => body.type))], Object.keys(document["x-webhooks"]))
        for (const { body, headers } of received) {
          const { parameters = [], requestBody } = document["x-webhooks"][body.type]?.post ?? assert.fail(body.type)
          const { schema } = requestBody?.content[headers.get("content-type") ?? ""] ?? assert.fail(body.type)
          assert.deepStrictEqual(violations(schema, body), [], JSON.stringify(body))
          assert.lengthOf(parameters, 3)
          for (const reference of parameters) {
            const name = "$ref" in reference ? reference.$ref.replace("#/components/parameters/", "") : ""
            const parameter = document.components.parameters[name] ?? assert.fail(name)
            assert.deepStrictEqual(violations(parameter.schema, headers.get(parameter.name)), [], parameter.name)
          }
        }
      })
  )

  it.live(
    "given a long history, when its events are read and streamed, then each is as the served document has it",
    () =>
      Effect.gen(function* () {
        const petstore = yield* Effect.acquireRelease(
          Effect.promise(() => createPetstore()),
          (opened) => Effect.promise(() => opened.close())
        )
        const { client, document, fetch, violations } = yield* served(petstore)
        const seed = Math.floor(Math.random() * 2 ** 31)
        const [opening = []] = yield* sampleEffect(history(0), { count: 1, seed })
        const [commands = []] = yield* sampleEffect(array(command, { minLength: 3_000, maxLength: 3_000 }), {
          count: 1,
          seed
        })
        const found = new Set<string>()
        yield* Effect.promise(async () => {
          for (const each of [...opening, ...commands]) await runCommand(petstore, each)
          const success = document.paths["/events"]?.get?.responses[200] ?? assert.fail()
          const { schema } = ("content" in success && success.content?.["application/json"]) || assert.fail()
          for await (const event of petstore.events.all({ limit: 100 })) {
            assert.deepStrictEqual(violations(schema, [event]), [], `seed ${seed}: ${JSON.stringify(event)}`)
            found.add(event.type)
          }
          const [first] = (await client.events.list({ limit: 1 })).items
          assert.deepStrictEqual(first, (await petstore.events.list({ limit: 1 })).items[0])

          const stream = document.paths["/events/stream"]?.get?.responses[200] ?? assert.fail()
          const media = ("content" in stream && stream.content?.["text/event-stream"]) || assert.fail()
          const data = media["x-itemSchema"]?.properties?.data
          const eventSchema =
            (data !== undefined && "x-contentSchema" in data && data["x-contentSchema"]) || assert.fail()
          const reader = (await fetch("/v1/events/stream?after=0")).body?.getReader() ?? assert.fail()
          const decoder = new TextDecoder()
          let text = ""
          while (text.length < 20_000) {
            const { done, value } = await reader.read()
            assert.isFalse(done, "The stream ended")
            text += decoder.decode(value, { stream: true })
          }
          await reader.cancel()
          const frames = text.split("\n\n").slice(1, -1)
          assert.isAbove(frames.length, 50)
          for (const frame of frames) {
            const fields = Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/s, 2)))
            assert.deepStrictEqual(violations(media["x-itemSchema"] ?? assert.fail(), fields), [], frame)
            assert.deepStrictEqual(violations(eventSchema, JSON.parse(fields.data)), [], frame)
            assert.strictEqual(JSON.parse(fields.data).type, fields.event)
          }
        })
        assert.isAtLeast(found.size, 6, `seed ${seed}: ${[...found]}`)
      })
  )
})
