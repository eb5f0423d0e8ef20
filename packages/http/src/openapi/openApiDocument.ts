import { map as mapValues } from "effect/Record"
import { type Operation, operations, pathTemplate } from "../api/operations.ts"
import { handlerOptions } from "../server/options.ts"
import { errorCodes, errorExample } from "./errors.ts"
import { headers } from "./headers.ts"
import { hostAuthenticated } from "./hostAuthenticated.ts"
import { type Authentication, bearerScheme, infoOf, tags } from "./info.ts"
import type { Method, OpenApi, OrReference, ParameterObject, PathItem } from "./OpenApi.ts"
import { operationObject, securityScheme } from "./operationObject.ts"
import { parameterComponents } from "./parameters.ts"
import { probeCodes, probePaths } from "./probes.ts"
import { responseComponents } from "./responses.ts"
import { schemaComponents } from "./schemas.ts"
import { webhookExamples, webhookResponses, webhookSchemas, webhooks } from "./webhooks.ts"

/** Where the API is served, by the same names as the options of the server. */
export interface OpenApiOptions {
  /** The path of the operations. Default: `/v1`; `""` for the root. */
  readonly basePath?: string
  /** The path under which the host application mounts the server. Default: none. */
  readonly mountPath?: string
  /** How callers are authenticated; `host` if the server has the option `authenticate`. Default: `apiKey`. */
  readonly authentication?: Authentication
  /** Whether the server has `GET /metrics`. Default: false. */
  readonly metrics?: boolean
  /** Whether the petstore has the option `reservations` with `expireAfter`. Default: false. `reserveFor` is optional then. */
  readonly reservations?: boolean
}

/** The key of an operation in its path item. */
export const methodOf = ({ method }: Operation): Method => method.toLowerCase() as Lowercase<typeof method>

/** The paths in an order in which their examples succeed one after another: what was created first is deleted last. */
const operationPaths = (): Readonly<Record<string, PathItem>> => {
  const paths: Record<string, PathItem> = {}
  for (const operation of operations) {
    const path = pathTemplate(operation.path)
    paths[path] = { ...paths[path], [methodOf(operation)]: operationObject(operation) }
  }
  const items = Object.entries(paths)
  const deletes = ([, item]: (typeof items)[number]): boolean => item.delete !== undefined
  return Object.fromEntries([...items.filter((item) => !deletes(item)), ...items.filter(deletes).reverse()])
}

/** For a store that has a time for reservations: no query requires a parameter. */
const withReservationTime = ({ paths, ...document }: OpenApi): OpenApi => ({
  ...document,
  paths: mapValues(paths, (item) => ({
    ...item,
    ...(item.put === undefined ? {} : { put: { ...item.put, parameters: (item.put.parameters ?? []).map(optional) } })
  }))
})

const optional = (parameter: OrReference<ParameterObject>): OrReference<ParameterObject> => {
  if ("$ref" in parameter || parameter.in !== "query") return parameter
  const { required: _, ...described } = parameter
  return described
}

/**
 * Returns the description of the REST API in OpenAPI 3.0.3, a plain JSON value.
 *
 * @example
 * ```ts
 * import { openApiDocument } from "@petstore/http/openapi"
 *
 * const { info, openapi, servers } = openApiDocument({ basePath: "/shop/v1" })
 * openapi // => "3.0.3"
 * info.version // => "1.0.0"
 * servers // => [{ "url": "/shop/v1" }]
 * ```
 */
export const openApiDocument = ({
  authentication = "apiKey",
  basePath = handlerOptions.basePath.default,
  metrics = handlerOptions.metrics.default,
  mountPath = handlerOptions.mountPath.default,
  reservations = false
}: OpenApiOptions = {}): OpenApi => {
  const codes = [...new Set([...operations.flatMap((operation) => [...errorCodes(operation)]), ...probeCodes])].sort()
  const document: OpenApi = {
    openapi: "3.0.3",
    info: infoOf(authentication),
    servers: [{ url: mountPath + basePath || "/" }],
    tags,
    paths: { ...operationPaths(), ...probePaths(mountPath, metrics) },
    "x-webhooks": webhooks,
    components: {
      securitySchemes: { [securityScheme]: bearerScheme },
      schemas: schemaComponents(operations, webhookSchemas, codes),
      parameters: parameterComponents(operations),
      headers,
      responses: { ...responseComponents(operations), ...webhookResponses },
      examples: {
        ...Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
        ...webhookExamples
      }
    }
  }
  const described = reservations ? withReservationTime(document) : document
  return authentication === "host" ? hostAuthenticated(described) : described
}
