import { rm } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { freePort } from "../../../../adapters/test/support/freePort.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { attributesOf, startOtlpCollector } from "../../../test/support/OtlpCollector.ts"
import { startPetstore, startServer } from "../../../test/support/PetstoreProcess.ts"
import { httpReceiver } from "../../../test/support/receivers.ts"

const PETSTORE_ADMIN_KEY = "telemetry-admin-key-0123456789"

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise((signal) =>
    fetch(url, {
      signal,
      method: "POST",
      headers: { authorization: `Bearer ${PETSTORE_ADMIN_KEY}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
  )

describe("petstore serve --otlp", () => {
  it.live(
    "given a collector, then it gets spans from the request to the transaction, and metrics, and the log has their ids",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const collector = yield* startOtlpCollector
        const server = yield* startServer(
          [
            ...["--storage", `sqlite:${join(folder, "pets.db")}`, "--otlp", collector.url, "--base-path", "/shop/v1"],
            ...["--trust-proxy", "1", "--log-format", "json"]
          ],
          {
            env: {
              PETSTORE_ADMIN_KEY,
              OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
              OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=shop",
              OTEL_METRIC_EXPORT_INTERVAL: "100",
              OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test"
            }
          }
        )
        const [traceId, failedTraceId] = ["0af7651916cd43dd8448eb211c80319c", "2af7651916cd43dd8448eb211c80319c"]
        const traced = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, "x-request-id": "request-7" }
        const created = yield* post(`${server.url}/categories`, { name: "Cats" }, traced)
        assert.strictEqual(created.status, 201)
        const unsampled = { traceparent: "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" }
        assert.strictEqual((yield* post(`${server.url}/categories`, { name: "Dogs" }, unsampled)).status, 201)
        const forwarded = { "x-forwarded-proto": "https" }
        assert.strictEqual((yield* post(`${server.url}/categories`, { name: "Cats" }, forwarded)).status, 409)
        yield* Effect.promise(() => rm(join(folder, "pets.db")))
        const failing = { traceparent: `00-${failedTraceId}-b7ad6b7169203331-01`, "x-request-id": "request-8" }
        assert.strictEqual((yield* post(`${server.url}/categories`, { name: "Dogs" }, failing)).status, 503)
        const [line] = yield* server.said(/^.*request-8.*$/m)
        const entry = JSON.parse(line)
        assert.deepInclude(entry, { level: "WARN", requestId: "request-8", traceId: failedTraceId })
        assert.match(entry.spanId, /^[0-9a-f]{16}$/)
        assert.match(entry.message, /createCategory failed with storage_unavailable/)
        for (const each of server.stderr().trim().split("\n")) assert.isString(JSON.parse(each).timestamp)
        // Those of the process end with the server, before the last export.
        const exported = Effect.suspend(() =>
          collector.metricNames().has("process.cpu.time") ? Effect.void : Effect.fail("not yet")
        )
        yield* Effect.retry(exported, Schedule.spaced("20 millis"))
        server.child.kill("SIGTERM")
        assert.strictEqual(yield* server.ended, 0)

        const spans = collector.spans()
        const trace = spans.filter((span) => span.traceId === traceId)
        const [request, method, transaction] = ["POST /shop/v1/categories", "categories.create"]
          .concat("transaction categories.create")
          .map((name) => trace.find((span) => span.name === name) ?? assert.fail(`There is no span ${name}`))
        assert.strictEqual(trace.length, 3)
        assert.deepStrictEqual(
          [request?.parentSpanId, method?.parentSpanId, transaction?.parentSpanId],
          ["b7ad6b7169203331", request?.spanId, method?.spanId]
        )
        assert.deepStrictEqual([request?.kind, method?.kind, transaction?.kind], [2, 1, 3])
        assert.deepStrictEqual(attributesOf(request ?? assert.fail()), {
          "http.request.method": "POST",
          "http.route": "/shop/v1/categories",
          "url.path": "/shop/v1/categories",
          "url.scheme": "http",
          "client.address": "127.0.0.1",
          "petstore.operation": "createCategory",
          "http.response.status_code": 201,
          "petstore.request_id": "request-7"
        })
        assert.deepStrictEqual(attributesOf(transaction ?? assert.fail()), {
          "db.system.name": "sqlite",
          "db.operation.name": "categories.create",
          "petstore.commit.transactions": 1
        })
        assert.notInclude(collector.text(), "1af7651916cd43dd8448eb211c80319c")
        const rejected = spans.filter(
          (span) => span.name === "POST /shop/v1/categories" && attributesOf(span)["http.response.status_code"] === 409
        )
        assert.deepStrictEqual(
          rejected.map((span) => [span.status.code, attributesOf(span)["url.scheme"]]),
          [[1, "https"]]
        )
        const durations = collector.points("http.server.request.duration")
        assert.deepStrictEqual(
          new Set(durations.map((point) => attributesOf(point)["url.scheme"])),
          new Set(["http", "https"])
        )
        assert.deepInclude(collector.resource(), {
          "service.name": "petstore",
          "deployment.environment.name": "test",
          "telemetry.sdk.name": "effect"
        })
        assert.strictEqual(collector.headers()["x-tenant"], "shop")
        const metrics = ["petstore_transactions_total", "petstore_events_latest", "http.server.request.duration"]
        for (const name of [...metrics, "process.cpu.time", "process.memory.usage", "nodejs.eventloop.delay.p99"]) {
          assert.isTrue(collector.metricNames().has(name), name)
        }
      }).pipe(Effect.scoped)
  )

  it.live("given no collector at the URL, then the server works and stops", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const server = yield* startServer(["--storage", "memory:", "--otlp", `http://127.0.0.1:${port}/key-canary`], {
        env: { PETSTORE_ADMIN_KEY, OTEL_METRIC_EXPORT_INTERVAL: "100" }
      })
      assert.strictEqual((yield* post(`${server.url}/categories`, { name: "Cats" })).status, 201)
      yield* server.said(/The collector at http:\/\/127\.0\.0\.1:\d+ takes no traces and metrics: ECONNREFUSED\./)
      server.child.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 0)
      assert.lengthOf(server.stderr().match(/takes no traces/g) ?? [], 1)
      assert.notInclude(server.stderr(), "canary")
    }).pipe(Effect.scoped)
  )

  it.live("given a collector that refuses and then accepts, then the log reports both, once", () =>
    Effect.gen(function* () {
      let status = 503
      let requests = 0
      const { port } = yield* httpReceiver((_, response) => {
        requests++
        if (requests > 1) status = 200
        response.writeHead(status, { "content-type": "application/json" }).end("{}")
      })
      const server = yield* startServer(["--storage", "memory:", "--otlp", `http://127.0.0.1:${port}`], {
        env: { PETSTORE_ADMIN_KEY, OTEL_METRIC_EXPORT_INTERVAL: "100", OTEL_TRACES_EXPORTER: "none" }
      })
      yield* server.said(/takes no traces and metrics: it responds 503/)
      yield* server.said(/takes traces and metrics again/)
      server.child.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 0)
      assert.lengthOf(server.stderr().match(/The collector at/g) ?? [], 2)
    }).pipe(Effect.scoped)
  )

  for (const [env, message] of [
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /OTEL_EXPORTER_OTLP_PROTOCOL takes http/],
    [
      { OTEL_METRIC_EXPORT_INTERVAL: "often", OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret-7" },
      /variable of OpenTelemetry has an invalid value.*OTEL_METRIC_EXPORT_INTERVAL/
    ]
  ] as const) {
    it.live(`given ${Object.keys(env).join(", ")}, then one line reports what is wrong, without secrets`, () =>
      Effect.gen(function* () {
        const args = ["serve", "--port", "0", "--storage", "memory:", "--otlp", "http://127.0.0.1:4318"]
        const petstore = yield* startPetstore(args, { env })
        assert.strictEqual(yield* petstore.ended, 2)
        assert.match(petstore.stderr(), message)
        assert.notInclude(petstore.stderr(), "secret-7")
        assert.match(petstore.stderr(), /^petstore: [^\n]+\n$/)
      }).pipe(Effect.scoped)
    )
  }
})
