import { assert, describe, it } from "@effect/vitest"
import { readingOfMetrics } from "./Reading.ts"

describe("a reading of metrics", () => {
  it("given a text of the Prometheus format, then labels with escapes and values of several series are read", () => {
    const reading = readingOfMetrics(
      [
        "# TYPE petstore_events_latest gauge",
        'petstore_events_latest{storage="sqlite"} 12',
        'petstore_http_requests_total{operation="getPet",status="200"} 30',
        'petstore_http_requests_total{operation="getPet",status="503"} 2',
        'petstore_consumer_lag{consumer="a \\"b\\" {c}\\\\"} 5',
        'petstore_consumer_lag_seconds{consumer="a \\"b\\" {c}\\\\"} 1.5'
      ].join("\n"),
      1
    )
    assert.deepStrictEqual(reading?.store.consumers, [{ name: 'a "b" {c}\\', lag: 5, oldestSeconds: 1.5 }])
    assert.deepInclude(reading?.server, { requests: 32, failures: 2, inFlight: 0 })
    assert.strictEqual(reading?.store.latestEvent, 12)
  })

  it("given another text, then there is none", () => {
    assert.isUndefined(readingOfMetrics("<html>", 1))
    assert.isUndefined(readingOfMetrics("up 1", 1))
  })
})
