export type { OpenApi } from "./OpenApi.ts"
export { type OpenApiOptions, openApiDocument } from "./openApiDocument.ts"
export { openApiYaml } from "./openApiYaml.ts"
