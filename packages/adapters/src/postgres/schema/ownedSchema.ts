import type { StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { PostgresOptions } from "../PostgresOptions.ts"
import { quoted } from "../statements/dialect.ts"
import { hasSchema, literal } from "./migrate.ts"
import { inSchemaOf } from "./migrationState.ts"

/**
 * Creates the schema of these options, without tables, with the owner as its comment. Returns false, and changes nothing, if there is a
 * schema of this name.
 *
 * @beta
 */
export const createSchema = (
  urlOrOptions: string | PostgresOptions,
  owner: string
): Effect.Effect<boolean, StorageError> =>
  inSchemaOf(urlOrOptions, async (connection, schema) => {
    if (await hasSchema(connection, schema)) return false
    // One message, which is one transaction: no schema is left without its owner.
    await connection.run(`CREATE SCHEMA ${quoted(schema)}; COMMENT ON SCHEMA ${quoted(schema)} IS ${literal(owner)}`)
    return true
  })

const selectOwner = `SELECT pg_catalog.obj_description(oid, 'pg_namespace') AS owner
  FROM pg_catalog.pg_namespace WHERE nspname = $1`

/**
 * Drops the schema of these options and all that is in it. Returns false, and changes nothing, if {@link createSchema} did not create it
 * for this owner.
 *
 * @beta
 */
export const dropSchema = (
  urlOrOptions: string | PostgresOptions,
  owner: string
): Effect.Effect<boolean, StorageError> =>
  inSchemaOf(urlOrOptions, async (connection, schema) => {
    const { rows } = await connection.query(selectOwner, [schema])
    if (rows[0]?.owner !== owner) return false
    await connection.patiently(() => connection.run(`DROP SCHEMA ${quoted(schema)} CASCADE`))
    return true
  })
