import { assert, it } from "@effect/vitest"
import { conventional } from "./semanticConventions.ts"

const times = { startTimeUnixNano: "1", timeUnixNano: "2" }
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

const served = { basePath: "/shop/v1", host: "127.0.0.1", port: 8080 }

const shown = (attributes: ReadonlyArray<{ readonly key: string; readonly value: object }>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

it("given durations of requests, then they have the name, unit and attributes of the convention", () => {
  const point = (operation: string, status: string) => ({
    ...times,
    attributes: [attribute("operation", operation), attribute("status", status), attribute("scheme", "https")],
    count: 1,
    sum: 0.5,
    bucketCounts: [1],
    explicitBounds: []
  })
  const [metric, ...others] = conventional(
    [
      {
        name: "petstore_http_request_duration_seconds",
        unit: "1",
        histogram: { dataPoints: [point("getPetWithInventory", "200"), point("none", "503")] }
      },
      {
        name: "petstore_http_requests_total",
        unit: "1",
        sum: { dataPoints: [], aggregationTemporality: 2, isMonotonic: true }
      }
    ],
    served
  )
  assert.deepStrictEqual(others, [])
  assert.deepInclude(metric, { name: "http.server.request.duration", unit: "s" })
  const common = { "url.scheme": "https", "server.address": "127.0.0.1", "server.port": 8080 }
  assert.deepStrictEqual(
    metric?.histogram?.dataPoints.map(({ attributes }) => shown(attributes ?? [])),
    [
      {
        "http.request.method": "GET",
        "http.route": "/shop/v1/store/pets/{petId}",
        ...common,
        "http.response.status_code": 200,
        "petstore.operation": "getPetWithInventory"
      },
      {
        "http.request.method": "_OTHER",
        ...common,
        "http.response.status_code": 503,
        "error.type": "503",
        "petstore.operation": "none"
      }
    ]
  )
})

it("given metrics of the process, then they are those of the convention, and all others keep their names, with units", () => {
  const gauge = (name: string) => ({
    name,
    unit: "1",
    gauge: { dataPoints: [{ ...times, attributes: [], asDouble: 3 }] }
  })
  const counter = (name: string, asDouble: number) => ({
    name,
    unit: "1",
    sum: { dataPoints: [{ ...times, attributes: [], asDouble }], aggregationTemporality: 2 as const, isMonotonic: true }
  })
  const metrics = conventional(
    [
      counter("process_cpu_user_seconds_total", 1),
      counter("process_cpu_system_seconds_total", 2),
      counter("process_cpu_seconds_total", 3),
      gauge("process_resident_memory_bytes"),
      gauge("process_open_fds"),
      gauge("nodejs_eventloop_lag_p99_seconds"),
      gauge("nodejs_eventloop_lag_seconds"),
      gauge("nodejs_heap_size_used_bytes"),
      gauge("petstore_consumer_lag_seconds"),
      gauge("petstore_consumer_lag")
    ],
    served
  )
  assert.deepStrictEqual(
    metrics.map(({ name, sum, unit }) => [name, unit, sum?.isMonotonic]),
    [
      ["process.cpu.time", "s", true],
      ["process.memory.usage", "By", false],
      ["process.unix.file_descriptor.count", "{file_descriptor}", false],
      ["nodejs.eventloop.delay.p99", "s", undefined],
      ["nodejs_heap_size_used_bytes", "By", undefined],
      ["petstore_consumer_lag_seconds", "s", undefined],
      ["petstore_consumer_lag", "1", undefined]
    ]
  )
  assert.deepStrictEqual(
    metrics[0]?.sum?.dataPoints.map(({ asDouble, attributes }) => [shown(attributes), asDouble]),
    [
      [{ "cpu.mode": "user" }, 1],
      [{ "cpu.mode": "system" }, 2]
    ]
  )
})
