import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { memory } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import { layer } from "@petstore/core/runtime"
import { consumers, webhooks } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import parsePrometheusTextFormat, { type Sample } from "parse-prometheus-text-format"
import { expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { newConsumer, newWebhookRecord } from "../../../../core/testing/src/storage/rows.ts"
import { opened, sendingBy } from "../../../test/support/mounts.ts"
import { type Sending, sendTo, startServer } from "../../../test/support/TestServer.ts"
import { operations } from "../../api/operations.ts"
import type { ServeOptions } from "../options.ts"
import { serve } from "../serve.ts"

expectLogs("user:7 uses GET /v1/pets/{petId}")

/** A server whose metrics are in a registry of its own. */
const withMetrics = <A, E, R>(options: ServeOptions, body: (server: Server) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(startServer(options), body).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

type Server = Effect.Success<ReturnType<typeof startServer>>

const anonymous: Sending = { key: undefined }

const familiesOf = (text: string) => parsePrometheusTextFormat(text)

const sampleOf = (text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined => {
  const samples: ReadonlyArray<Sample> = familiesOf(text).find((family) => family.name === name)?.metrics ?? []
  const found = samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels?.[key] === value))
  return found === undefined ? undefined : Number(found.value)
}

describe("given a server without the option metrics", () => {
  it.effect("when /metrics is requested, then there is nothing, and the document does not mention it", () =>
    withMetrics({}, ({ send }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send("GET", "/metrics", anonymous)).status, 404)
        assert.notInclude((yield* send("GET", "/openapi.json", anonymous)).text, '"/metrics"')
      })
    )
  )
})

describe("given a server with the option metrics", () => {
  it.effect(
    "when nothing has happened yet, then each counter with known labels is 0, so that its first rise is seen",
    () =>
      withMetrics({ metrics: true }, ({ send }) =>
        Effect.gen(function* () {
          const { text } = yield* send("GET", "/metrics", anonymous)
          const families = familiesOf(text)
          const of = (name: string): ReadonlyArray<Sample> =>
            families.find((family) => family.name === name)?.metrics ?? []
          const zeros = new Set(
            of("petstore_http_requests_total").flatMap(({ labels, value }) =>
              Number(value) === 0 ? [`${labels?.operation} ${labels?.status}`] : []
            )
          )
          for (const { id, status } of operations) {
            for (const any of [status, 400, 409, 429, 500, 503])
              assert.isTrue(zeros.has(`${id} ${any}`), `${id} ${any}`)
          }
          const pages = ["root", "live", "openapi.json", "openapi-3.1.yaml", "reference page: index.html", "error page"]
          const successes = [
            ...operations.map(({ id, status }) => `${id} ${status}`),
            ...pages.map((page) => `${page} 200`)
          ]
          const durations = text.matchAll(
            /^petstore_http_request_duration_seconds_count\{operation="(.+)",status="(\d+)",scheme="http"\} 0$/gm
          )
          const measured = new Set([...durations].map(([, operation, status]) => `${operation} ${status}`))
          for (const success of successes) assert.isTrue(measured.has(success), success)
          for (const page of pages) for (const any of [200, 500, 499]) assert.isTrue(zeros.has(`${page} ${any}`), page)
          assert.isTrue(zeros.has("reference page: index.html 304"))
          assert.sameMembers(
            of("petstore_http_limited_requests_total").map(({ labels, value }) => `${labels?.limit} ${value}`),
            ["rate_limited 0", "overloaded 0", "too_many_streams 0"]
          )
        })
      )
  )

  it.effect(
    "when requests come, then /metrics counts them by operation and status, in the Prometheus text format",
    () =>
      withMetrics({ metrics: true }, ({ send }) =>
        Effect.gen(function* () {
          yield* send("POST", "/v1/categories", { body: { name: "Cats" } })
          yield* send("POST", "/v1/categories", { body: { name: "Cats" } })
          yield* send("GET", "/v1/pets/7/none")
          yield* send("GET", "/v1/store/pets/77")
          const reply = yield* send("GET", "/metrics", anonymous)
          assert.strictEqual(reply.status, 200)
          assert.strictEqual(reply.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
          assert.strictEqual(reply.headers.get("cache-control"), "no-store")
          const requests = (operation: string, status: string) =>
            sampleOf(reply.text, "petstore_http_requests_total", { operation, status })
          assert.deepStrictEqual(
            [
              requests("createCategory", "201"),
              requests("createCategory", "409"),
              requests("none", "404"),
              requests("getPetWithInventory", "404"),
              sampleOf(reply.text, "petstore_transactions_total", { outcome: "committed" }),
              sampleOf(reply.text, "petstore_transactions_total", { outcome: "rejected" }),
              sampleOf(reply.text, "petstore_events_latest"),
              sampleOf(reply.text, "petstore_http_requests_in_flight"),
              sampleOf(reply.text, "petstore_build_info")
            ],
            [1, 1, 1, 1, 1, 1, 1, 0, 1]
          )
          const durations = familiesOf(reply.text).find(({ name }) => name === "petstore_http_request_duration_seconds")
          assert.strictEqual(durations?.type, "HISTOGRAM")
          assert.isAbove(sampleOf(reply.text, "process_resident_memory_bytes") ?? 0, 1_000_000)
          const started = sampleOf(reply.text, "process_start_time_seconds") ?? 0
          assert.closeTo(started, Date.now() / 1_000 - process.uptime(), 60)
          assert.isAbove(sampleOf(reply.text, "process_cpu_seconds_total") ?? 0, 0.01)
          if (process.platform === "linux") assert.isAbove(sampleOf(reply.text, "process_open_fds") ?? 0, 3)
          const [least, median, most] = ["min", "p50", "max"].map(
            (part) => sampleOf(reply.text, `nodejs_eventloop_lag_${part}_seconds`) ?? Number.NaN
          ) as [number, number, number]
          assert.isTrue(least <= median && median <= most, `${least} ${median} ${most}`)
        })
      )
  )

  it.effect("when limits reject requests, then they are counted by limit", () =>
    withMetrics({ metrics: true, rateLimit: 2 }, ({ send }) =>
      Effect.gen(function* () {
        for (const status of [200, 200, 429, 429]) {
          assert.strictEqual((yield* send("GET", "/v1/pets")).status, status)
        }
        const { text } = yield* send("GET", "/metrics", anonymous)
        assert.strictEqual(sampleOf(text, "petstore_http_limited_requests_total", { limit: "rate_limited" }), 2)
      })
    )
  )

  it.effect("when many keys use a deprecated operation, then the first hundred are counted apart", () =>
    withMetrics({ metrics: true }, ({ keyWith, send }) =>
      Effect.gen(function* () {
        for (let n = 0; n < 102; n++) yield* send("GET", "/v1/pets/1", { key: yield* keyWith(["pets:read"]) })
        const { text } = yield* send("GET", "/metrics", anonymous)
        const uses: ReadonlyArray<Sample> =
          familiesOf(text).find(({ name }) => name === "petstore_deprecated_operation_uses_total")?.metrics ?? []
        assert.strictEqual(uses.length, 101)
        assert.strictEqual(sampleOf(text, "petstore_deprecated_operation_uses_total", { key: "other" }), 2)
        assert.isTrue(uses.every(({ labels }) => /^(key:\d+|other)$/.test(labels?.key ?? "")))
      })
    )
  )

  it.effect("when users of an app use one, then they count together, since their names are personal", () =>
    Effect.gen(function* () {
      const authenticate = () => ({ actor: "user:7", scopes: ["pets:read" as const] })
      const { handler } = yield* opened({ authenticate, metrics: true })
      const send = sendingBy(handler.fetch)
      yield* send("GET", "/v1/pets/1")
      const { text } = yield* send("GET", "/metrics")
      // Petstores without a registry of their own share one, also with other tests.
      assert.isAtLeast(sampleOf(text, "petstore_deprecated_operation_uses_total", { key: "user" }) ?? 0, 1)
      assert.notInclude(text, "user:7")
    })
  )

  it.effect("when another method is used, then HEAD has no body and the others are rejected", () =>
    withMetrics({ metrics: true }, ({ send }) =>
      Effect.gen(function* () {
        const head = yield* send("HEAD", "/metrics", anonymous)
        assert.deepStrictEqual([head.status, head.text], [200, ""])
        const refused = yield* send("POST", "/metrics", anonymous)
        assert.deepStrictEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
        assert.include((yield* send("GET", "/openapi.json", anonymous)).text, '"/metrics"')
      })
    )
  )
})

describe("given an address for the metrics", () => {
  it.effect(
    "when it is requested, then it has the metrics and the health checks alone, and the API has no metrics",
    () =>
      Effect.gen(function* () {
        const { metricsUrl = "", url } = yield* serve({ port: 0, metricsServer: { port: 0 } })
        const { origin } = new URL(metricsUrl)
        const status = (address: string, method = "GET") =>
          Effect.map(sendTo(address, method, anonymous), (reply) => reply.status)
        yield* status(`${url}/v1/pets`)
        const { text } = yield* sendTo(metricsUrl, "GET", anonymous)
        assert.strictEqual(sampleOf(text, "petstore_http_requests_total", { operation: "listPets", status: "401" }), 1)
        assert.deepStrictEqual(
          [
            yield* status(`${origin}/v1/pets`),
            yield* status(`${origin}/health/live`),
            yield* status(`${origin}/health/ready`),
            yield* status(`${url}/health/live`),
            yield* status(metricsUrl, "POST"),
            yield* status(metricsUrl, "HEAD"),
            yield* status(`${url}/metrics`)
          ],
          [404, 200, 200, 200, 405, 200, 404]
        )
      }).pipe(Effect.scoped, Effect.provide(layer(memory())), Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

it.effect("given a server that has served metrics, when it is closed, then its gauges are gone", () => {
  const registry = new Map()
  const server = Effect.scoped(startServer({ metrics: true })).pipe(
    Effect.provideService(Metric.MetricRegistry, registry)
  )
  return Effect.map(server, () => {
    const gauges = [...registry.keys()].filter((key) => String(key).startsWith('["Gauge"'))
    assert.deepStrictEqual(gauges, [])
  })
})

/** The metrics of the process, by the names of prom-client. */
const namesOfProcess = [
  "nodejs_eventloop_lag_max_seconds",
  "nodejs_eventloop_lag_mean_seconds",
  "nodejs_eventloop_lag_min_seconds",
  "nodejs_eventloop_lag_p50_seconds",
  "nodejs_eventloop_lag_p90_seconds",
  "nodejs_eventloop_lag_p99_seconds",
  "nodejs_eventloop_lag_seconds",
  "nodejs_eventloop_lag_stddev_seconds",
  "nodejs_external_memory_bytes",
  "nodejs_heap_size_total_bytes",
  "nodejs_heap_size_used_bytes",
  "process_cpu_seconds_total",
  "process_cpu_system_seconds_total",
  "process_cpu_user_seconds_total",
  "process_max_fds",
  "process_open_fds",
  "process_resident_memory_bytes",
  "process_start_time_seconds"
]

it.effect("the table of docs/monitoring.md lists what /metrics of a server adds", () =>
  withMetrics({ metrics: true, rateLimit: 1 }, ({ runtime, send }) =>
    Effect.gen(function* () {
      yield* Context.get(runtime, Storage).run(function* (tx) {
        tx.add(consumers, newConsumer())
        yield* tx.insert(webhooks, (id) => webhooks.withId(newWebhookRecord(), id))
      })
      for (const path of ["/v1/pets", "/v1/pets", "/metrics"]) yield* send("GET", path)
      yield* send("GET", "/v1/pets/1")
      const { text } = yield* send("GET", "/metrics", anonymous)
      const page = yield* Effect.promise(() =>
        readFile(new URL("../../../../../docs/monitoring.md", import.meta.url), "utf8")
      )
      const rows = page.matchAll(/^\| `(petstore_\w+)(?:\{[\w,]+\})?` \| (\w+)(?:, (?:process|store))? \| (.+?) \|$/gm)
      const documented = new Map(
        [...rows].map(([, name = "", type = "", help = ""]) => [name, { type: type.toUpperCase(), help }])
      )
      const named = new Set(namesOfProcess)
      // Counted only when a deprecated operation is used.
      documented.delete("petstore_deprecated_operation_uses_total")
      if (process.platform !== "linux") for (const name of ["process_open_fds", "process_max_fds"]) named.delete(name)
      const served = new Map(familiesOf(text).map(({ help, name, type }) => [name, { type, help }]))
      const own = [...served.entries()].filter(([name]) => name.startsWith("petstore_"))
      assert.deepStrictEqual(own.sort(), [...documented.entries()].sort())
      assert.deepStrictEqual(
        [...served.keys()].filter((name) => !name.startsWith("petstore_")).sort(),
        [...named].sort()
      )
    })
  )
)
