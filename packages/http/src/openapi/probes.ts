import type { ErrorCode } from "@petstore/core/domain"
import { byStatus } from "./errors.ts"
import { headerReference } from "./headers.ts"
import type { OperationObject, PathItem, ResponseObject, Responses } from "./OpenApi.ts"
import { parameterReference } from "./parameters.ts"
import { errorResponse } from "./responses.ts"

// The health endpoints are not part of the contract: they are outside the base path, for the operators of the server.

/** The codes of every request, with any path. */
const always: ReadonlyArray<ErrorCode> = [
  "malformed_request",
  "method_not_allowed",
  "incomplete_request",
  "headers_too_large"
]

const unready: ReadonlyArray<ErrorCode> = [
  "internal_error",
  "shutting_down",
  "storage_busy",
  "storage_full",
  "storage_unavailable"
]

/** The error codes of the health endpoints. */
export const probeCodes: ReadonlyArray<ErrorCode> = [...always, ...unready]

const healthy = (description: string, status: string): ResponseObject => ({
  description,
  headers: { "X-Request-Id": headerReference("RequestId"), "Cache-Control": headerReference("NoStore") },
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: { status: { type: "string", enum: [status] } },
        required: ["status"]
      },
      example: { status }
    }
  }
})

const errors = (codes: ReadonlyArray<ErrorCode>): Responses =>
  Object.fromEntries([...byStatus(codes)].map(([status, those]) => [status, errorResponse(status, those)]))

const probe = (operationId: string, summary: string, description: string, responses: Responses): OperationObject => ({
  operationId,
  tags: ["Service"],
  summary,
  description,
  security: [],
  parameters: [parameterReference("RequestId")],
  responses
})

const live = probe(
  "getLiveness",
  "Check that the server responds",
  "Requires no API key. Restart a server that does not respond.",
  {
    200: healthy("The server responds.", "live"),
    ...errors(always)
  }
)

const ready = probe(
  "getReadiness",
  "Check that the server is ready",
  "Requires no API key. A server is ready if its database is migrated and a write became durable in it within the last second; if there was none, the check makes one.",
  { 200: healthy("The server is ready.", "ready"), ...errors(probeCodes) }
)

const metricsText: OperationObject = probe(
  "getMetrics",
  "Read the metrics of the server",
  "Requires no API key. For Prometheus and programs that read its text format.",
  {
    200: {
      description: "The metrics.",
      headers: {
        "X-Request-Id": headerReference("RequestId"),
        "Cache-Control": headerReference("NoStore"),
        "X-Content-Type-Options": {
          description: "Browsers must not guess another media type.",
          required: true,
          schema: { type: "string", enum: ["nosniff"] },
          example: "nosniff"
        }
      },
      content: {
        "text/plain": { schema: { type: "string" }, example: "# TYPE petstore_uptime_seconds gauge\n" }
      }
    },
    ...errors(always)
  }
)

/**
 * The health endpoints, under the path where the host application mounts the server, and the metrics if it has them.
 */
export const probePaths = (mountPath: string, metrics: boolean): Readonly<Record<string, PathItem>> => {
  const servers = [{ url: mountPath === "" ? "/" : mountPath }]
  return {
    "/health/live": { servers, get: live },
    "/health/ready": { servers, get: ready },
    ...(metrics ? { "/metrics": { servers, get: metricsText } } : {})
  }
}
