import * as Result from "effect/Result"
import { type Validated, validator } from "../validate.ts"
import { type Metadata, type MetadataSchemas, metadataProblem, type RecordKind } from "./ResourceRecord.ts"

/** Checks the metadata of a kind. */
export type CheckMetadata = (kind: RecordKind, metadata: Metadata) => Validated<unknown>

/** Checks metadata as a whole: the number of its keys, and what the schema of its kind accepts. */
export const metadataCheck = (schemas: MetadataSchemas): CheckMetadata => {
  const checks = new Map(
    Object.entries(schemas).flatMap(([kind, schema]) => (schema === undefined ? [] : [[kind, validator(schema)]]))
  )
  return (kind, metadata) => {
    const message = metadataProblem(metadata)
    if (message !== undefined) return Result.fail([{ path: "/body/metadata", message }])
    return Result.mapError(checks.get(kind)?.("", metadata) ?? Result.void, (violations) =>
      violations.map((violation) => ({ ...violation, path: `/body/metadata${violation.path}` }))
    )
  }
}
