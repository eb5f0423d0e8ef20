import type { Row } from "../connection/driver.ts"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"

/** Runs a statement that reads. */
export type Read = (text: string, values: ReadonlyArray<Parameter>) => Promise<Result>

export interface Table {
  readonly name: string
  /** Whether a crash of the server empties it. */
  readonly isUnlogged: boolean
  /** Whether row-level security hides rows of it from the role that reads. */
  readonly hidesRows: boolean
  /** Rewrite rules that do something else instead of what a statement says. */
  readonly rules: ReadonlyArray<string>
}

export interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly notNull: boolean
  /** Undefined for a type that has none. */
  readonly collation: string | undefined
  readonly identity: "by default" | "always" | "none"
  readonly defaultValue: string | undefined
  /** What `ALTER COLUMN` sets of the sequence of an identity column. */
  readonly sequence: string | undefined
}

/** A constraint, an index or a trigger of a table. */
export interface TablePart {
  readonly table: string
  readonly name: string
  readonly definition: string
  /** Whether the constraint is validated, the index valid, the trigger enabled. */
  readonly works: boolean
}

export interface FunctionPart {
  readonly name: string
  readonly definition: string
}

/** The tables of a store as the catalogue of the database describes them. Names have no schema in front of them. */
export interface Catalogue {
  readonly tables: ReadonlyArray<Table>
  readonly columns: ReadonlyArray<Column>
  readonly constraints: ReadonlyArray<TablePart>
  /** Without those of constraints. */
  readonly indexes: ReadonlyArray<TablePart>
  readonly triggers: ReadonlyArray<TablePart>
  readonly functions: ReadonlyArray<FunctionPart>
}

const ofTables = `FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace`
const ours = (name: string): string =>
  `n.oid = CASE WHEN $1 = 'pg_temp' THEN pg_my_temp_schema() ELSE (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1) END
    AND ${name} LIKE E'petstore\\\\_%'`

const selectTables = `SELECT c.relname AS name, c.relpersistence = 'u' AS "isUnlogged",
    pg_catalog.row_security_active(c.oid) AS "hidesRows",
    (SELECT json_agg(r.rulename ORDER BY r.oid) FROM pg_catalog.pg_rewrite AS r
      WHERE r.ev_class = c.oid AND r.is_instead AND r.ev_enabled <> 'D')::text AS rules
  ${ofTables} WHERE ${ours("c.relname")} AND c.relkind IN ('r', 'p') ORDER BY c.oid`
const selectColumns = `SELECT c.relname AS "table", a.attname AS name, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS "notNull", l.collname AS collation, a.attidentity AS identity,
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS "defaultValue",
    (SELECT pg_catalog.format('SET INCREMENT BY %s SET MAXVALUE %s SET CACHE %s SET %s', s.seqincrement, s.seqmax, s.seqcache,
        CASE WHEN s.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END)
      FROM pg_catalog.pg_sequence AS s JOIN pg_catalog.pg_depend AS p ON p.objid = s.seqrelid
      WHERE p.classid = 'pg_catalog.pg_class'::regclass AND p.refclassid = p.classid AND p.refobjid = c.oid
        AND p.refobjsubid = a.attnum AND p.deptype = 'i') AS sequence
  ${ofTables} JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
    LEFT JOIN pg_catalog.pg_collation AS l ON l.oid = a.attcollation
    LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${ours("c.relname")} AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.oid, a.attnum`
// Servers from 18 on have constraints for NOT NULL too, which the columns show.
// A foreign key whose triggers are disabled is what servers from 18 on call NOT ENFORCED.
const selectConstraints = `SELECT c.relname AS "table", k.conname AS name, pg_catalog.pg_get_constraintdef(k.oid) ||
      CASE WHEN (SELECT f.relnamespace FROM pg_catalog.pg_class AS f WHERE f.oid = k.confrelid) <> n.oid
        THEN ' IN ANOTHER SCHEMA' ELSE '' END ||
      CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger AS t WHERE t.tgconstraint = k.oid AND t.tgenabled NOT IN ('O', 'A'))
        THEN ' NOT ENFORCED' ELSE '' END AS definition,
    k.convalidated AS works
  ${ofTables} JOIN pg_catalog.pg_constraint AS k ON k.conrelid = c.oid
  WHERE ${ours("c.relname")} AND k.contype <> 'n' ORDER BY k.contype = 'f', k.contype = 'c', c.oid, k.oid`
const selectIndexes = `SELECT t.relname AS "table", c.relname AS name, pg_catalog.pg_get_indexdef(c.oid) AS definition,
    i.indisvalid AND i.indisready AS works
  ${ofTables} JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid JOIN pg_catalog.pg_class AS t ON t.oid = i.indrelid
  WHERE ${ours("t.relname")} AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint AS k WHERE k.conindid = c.oid AND k.contype <> 'f')
  ORDER BY c.oid`
const selectTriggers = `SELECT c.relname AS "table", t.tgname AS name, pg_catalog.pg_get_triggerdef(t.oid) ||
      CASE WHEN (SELECT f.pronamespace FROM pg_catalog.pg_proc AS f WHERE f.oid = t.tgfoid) <> n.oid
        THEN ' IN ANOTHER SCHEMA' ELSE '' END AS definition,
    t.tgenabled IN ('O', 'A') AS works
  ${ofTables} JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = c.oid
  WHERE ${ours("c.relname")} AND NOT t.tgisinternal ORDER BY t.oid`
const selectFunctions = `SELECT f.proname AS name, pg_catalog.pg_get_functiondef(f.oid) AS definition
  FROM pg_catalog.pg_proc AS f JOIN pg_catalog.pg_namespace AS n ON n.oid = f.pronamespace
  WHERE ${ours("f.proname")} AND f.prokind = 'f' ORDER BY f.oid`

/** Leaves out the schema in front of names, which differs between the schemas that are compared. */
const unqualified = (definition: string): string =>
  definition.replace(/(?:(?<!")"(?:[^"]|"")+"|(?<![\w$])[a-z_][\w$]*)\.(?=petstore_)/gi, "")

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const toTable = (row: Row): Table => ({
  name: String(row.name),
  isUnlogged: row.isUnlogged === true,
  hidesRows: row.hidesRows === true,
  rules: typeof row.rules === "string" ? JSON.parse(row.rules) : []
})

const toColumn = (row: Row): Column => ({
  table: String(row.table),
  name: String(row.name),
  type: String(row.type),
  notNull: row.notNull === true,
  collation: textOf(row.collation),
  identity: row.identity === "d" ? "by default" : row.identity === "a" ? "always" : "none",
  defaultValue: textOf(row.defaultValue),
  sequence: textOf(row.sequence)
})

const toPart = (row: Row): TablePart => ({
  table: String(row.table),
  name: String(row.name),
  definition: unqualified(String(row.definition)),
  works: row.works === true
})

/** Reads the catalogue for a schema; `pg_temp` is that of the temporary tables of the connection. */
export const readCatalogue = async (query: Read, schema: string): Promise<Catalogue> => {
  const read = async (text: string) => (await query(text, [schema])).rows
  const [tables, columns, constraints, indexes, triggers, functions] = await Promise.all(
    [selectTables, selectColumns, selectConstraints, selectIndexes, selectTriggers, selectFunctions].map(read)
  )
  return {
    tables: (tables ?? []).map(toTable),
    columns: (columns ?? []).map(toColumn),
    constraints: (constraints ?? []).map(toPart),
    indexes: (indexes ?? []).map(toPart),
    triggers: (triggers ?? []).map(toPart),
    functions: (functions ?? []).map(({ definition, name }) => ({
      name: String(name),
      definition: unqualified(String(definition))
    }))
  }
}
