import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** Copies the fields of a value that belong in a response. */
type Projection = (value: unknown) => unknown

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const same: Projection = (value) => value

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<readonly [name: string, literal: SchemaAST.LiteralValue]> =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name, type }) =>
        SchemaAST.isLiteral(type) ? [[String(name), type.literal] as const] : []
      )
    : []

/** Of values that differ in the literal of one field, such as the `type` of events. */
const taggedProjection = ({ types }: SchemaAST.Union): Projection => {
  const [first] = types
  const [tag] = (first === undefined ? [] : literalsOf(first)).map(([name]) => name)
  if (tag === undefined) return same
  const projections = new Map<unknown, Projection>(
    types.flatMap((type) =>
      literalsOf(type).flatMap(([name, literal]) => (name === tag ? [[literal, projectionOf(type)] as const] : []))
    )
  )
  return (value) => (isRecord(value) ? (projections.get(value[tag]) ?? same)(value) : value)
}

const projectionOf = (ast: SchemaAST.AST): Projection => {
  if (SchemaAST.isArrays(ast)) {
    const [item] = ast.rest
    const project = item === undefined ? same : projectionOf(item)
    return project === same ? same : (value) => (Array.isArray(value) ? value.map(project) : value)
  }
  if (SchemaAST.isUnion(ast)) return taggedProjection(ast)
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return same
  const fields = ast.propertySignatures.map(({ name, type }) => ({ name: String(name), project: projectionOf(type) }))
  return (value) => {
    if (!isRecord(value)) return value
    const projected: Record<string, unknown> = {}
    for (const { name, project } of fields) {
      const field = value[name]
      if (field !== undefined) projected[name] = project === same ? field : project(field)
    }
    return projected
  }
}

/**
 * Returns a function that copies the fields of a schema, in its order and no others, so that equal values always become equal
 * bytes. For schemas whose values are JSON already.
 */
export const projection = (schema: Schema.Constraint): Projection => projectionOf(SchemaAST.toType(schema.ast))
