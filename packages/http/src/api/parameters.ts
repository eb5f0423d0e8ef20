import { integer, ListQuery, limits, MetadataFilter, PetFilter, recordFilters, type Total } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

// The text forms of parameters of paths and queries. Their values are those of the domain.

/** A whole number in decimal digits: no sign, exponent, fraction or leading zero. */
export const wholeNumber = (minimum: number, maximum: number, format?: "int64") =>
  Schema.String.check(
    Schema.isPattern(/^[1-9][0-9]{0,15}$/, { message: `Expected a whole number from ${minimum} to ${maximum}` })
  ).pipe(
    Schema.decodeTo(
      integer(minimum, maximum, format),
      SchemaTransformation.transform<number, string>({ decode: Number, encode: String })
    )
  )

/** An identifier in a path or query. */
export const IdParameter = wholeNumber(1, limits.id, "int64")

export const wholeNumberFrom0 = (maximum: number) =>
  Schema.String.check(
    Schema.isPattern(/^(?:0|[1-9][0-9]{0,15})$/, { message: `Expected a whole number from 0 to ${maximum}` })
  ).pipe(
    Schema.decodeTo(
      integer(0, maximum),
      SchemaTransformation.transform<number, string>({ decode: Number, encode: String })
    )
  )

/** A position in the event log: 0 is before its first event. */
export const PositionParameter = wholeNumberFrom0(limits.id)

export const BooleanParameter = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform<boolean, "true" | "false">({
      decode: (text) => text === "true",
      encode: (value) => (value ? "true" : "false")
    })
  )
)

/** A parameter that is sent once for each of its values. */
export const IdsParameter = Schema.Array(IdParameter).check(
  Schema.isMaxLength(limits.ids, { message: `Expected at most ${limits.ids} ids` })
)

/** The page of a list; the `Link` header contains the URL of the next one. */
export const pageParameters = {
  limit: Schema.optionalKey(wholeNumber(1, limits.page)),
  cursor: Schema.optionalKey(Schema.String)
}

/** The direction of a list of ids. */
export const sortParameter = { sort: ListQuery.fields.sort }

/** A key and a value of metadata, as `chip=276`. */
const MetadataParameter = Schema.String.check(
  Schema.isPattern(/^[A-Za-z][A-Za-z0-9_.:-]*=/, { message: "Expected a key and a value of metadata, as KEY=VALUE" })
).pipe(
  Schema.decodeTo(
    MetadataFilter,
    SchemaTransformation.transform<MetadataFilter, string>({
      decode: (text) => ({ key: text.slice(0, text.indexOf("=")), value: text.slice(text.indexOf("=") + 1) }),
      encode: ({ key, value }) => `${key}=${value}`
    })
  )
)

/** The filters by times and by metadata. */
export const recordParameters = { ...recordFilters, metadata: Schema.optionalKey(MetadataParameter) }

/** What a read adds to each resource. */
export const includeParameter = { include: PetFilter.fields.include }

/** The schema of a resource that may have its record. */
export const withRecord = <F extends Schema.Struct.Fields, Record extends Schema.Top>(
  identifier: string,
  resource: Schema.Struct<F>,
  record: Record
) => Schema.Struct({ ...resource.fields, record: Schema.optionalKey(record) }).annotate({ identifier })

/** Whether the response to a list has its total. */
export const countParameter = { count: Schema.optionalKey(BooleanParameter) }

/** A total as the header `Total-Count` has it: `10000+` if there are more. */
export const formatTotal = ({ count, isExact }: Total): string => `${count}${isExact ? "" : "+"}`

/** Undefined if the text is not a total. */
export const parseTotal = (text: string): Total | undefined => {
  const [, digits, more] = /^(0|[1-9][0-9]{0,8})(\+?)$/.exec(text) ?? []
  return digits === undefined ? undefined : { count: Number(digits), isExact: more === "" }
}
