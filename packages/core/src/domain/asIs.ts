import * as Schema from "effect/Schema"

type Accepts = (value: unknown) => boolean

/** The test of each schema whose values need no decoding. Effect compiles no schemas, since platforms may forbid `new Function`. */
const tests = new WeakMap<object, Accepts>([[Schema.Boolean, (value) => typeof value === "boolean"]])

/**
 * Notes for a schema how to see that it surely accepts a value and keeps it as it is. Of other values `accepts` need say nothing.
 * Returns the schema itself: one that is made of it has no test.
 */
export const asIs = <S extends Schema.Constraint>(schema: S, accepts: Accepts): S => {
  tests.set(schema, accepts)
  return schema
}

/** The test of a schema; of one without a test, one that no value passes. */
export const testOf = (schema: Schema.Constraint): Accepts => tests.get(schema) ?? (() => false)

interface Field {
  /** Absent if only the schema can tell. */
  readonly accepts: Accepts | undefined
  readonly isOptional: boolean
}

/** A field of a schema. `Schema.optionalKey` makes a schema that has the one of its value. */
const fieldOf = (schema: Schema.Constraint): Field => {
  const isOptional = schema.ast.context?.isOptional === true
  const value: unknown = isOptional && "schema" in schema ? schema.schema : schema
  return { accepts: tests.get(Object(value)), isOptional }
}

/** The fields of a schema that is nothing but an object with these fields. */
const fieldsOf = (schema: Schema.Constraint): Readonly<Record<string, Schema.Constraint>> | undefined => {
  const { ast } = schema
  const isPlain = ast._tag === "Objects" && ast.checks === undefined && ast.encoding === undefined
  return isPlain && "fields" in schema ? (schema.fields as Readonly<Record<string, Schema.Constraint>>) : undefined
}

/** The test of the only field of an object; one that no value passes if the schema has more to say. */
export const testOfField = (schema: Schema.Constraint, name: string): Accepts => {
  const { [name]: field, ...others } = fieldsOf(schema) ?? {}
  return field === undefined || Object.keys(others).length > 0 ? () => false : testOf(field)
}

/**
 * Reads inputs whose fields are all kept as they are: returns a copy of the fields, or undefined for an input that the schema must
 * read. Most inputs of commands are of the first kind, and a schema takes several times as long to find out. Undefined for
 * a schema that is not an object, or that has a required field without a test.
 */
export const readerAsIs = (schema: Schema.Constraint): ((input: unknown) => object | undefined) | undefined => {
  const fields = new Map(Object.entries(fieldsOf(schema) ?? {}).map(([name, field]) => [name, fieldOf(field)]))
  const all = [...fields.values()]
  if (all.every(({ accepts }) => accepts === undefined)) return undefined
  if (all.some(({ accepts, isOptional }) => accepts === undefined && !isOptional)) return undefined
  const required = [...fields].flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]))
  return (input) => {
    if (typeof input !== "object" || input === null || Object.getPrototypeOf(input) !== Object.prototype) return
    // With `Reflect.ownKeys`, V8 takes twice as long.
    if (Object.getOwnPropertySymbols(input).length > 0) return
    const given = input as Readonly<Record<string, unknown>>
    const read: Record<string, unknown> = {}
    for (const name of Object.getOwnPropertyNames(given)) {
      const value = given[name]
      if (fields.get(name)?.accepts?.(value) !== true) return
      read[name] = value
    }
    return required.every((name) => Object.hasOwn(read, name)) ? read : undefined
  }
}
