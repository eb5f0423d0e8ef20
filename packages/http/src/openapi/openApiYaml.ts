import { stringify } from "yaml"
import type { OpenApi } from "./OpenApi.ts"

/** A document as YAML. Dates and the like are quoted, so that readers of YAML 1.1 take them for strings too. */
export const openApiYaml = (document: OpenApi): string =>
  stringify(document, { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 120 })
