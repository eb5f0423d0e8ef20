import { describe } from "@effect/vitest"
import { slowEndpointTest } from "../../../test/webhooks/slowEndpoint.ts"

describe("given an endpoint that responds slowly, and fails now and then", () => {
  slowEndpointTest(true, 10_000)
})
