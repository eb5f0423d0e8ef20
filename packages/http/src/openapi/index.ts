/** The OpenAPI 3.0.3 description of the REST API. */

export { openApiYaml } from "./documentText.ts"
export type { OpenApi } from "./OpenApi.ts"
export { type OpenApiOptions, openApiDocument } from "./openApiDocument.ts"
