/** How tables are described: once, for every store. Databases derive their statements from it, stores in memory their indexes. */

/** A value of a column. Null and undefined are the same. */
export type Value = string | number | boolean | Uint8Array | null | undefined

/** What a column contains. */
export type ColumnType = "integer" | "text" | "boolean" | "bytes"

/** A column of a table. */
export interface Column<Row> {
  readonly type: ColumnType
  /** The value that a row has in it. */
  readonly read: (row: Row) => Value
  /** Where rows have the value, if it is a part of them: a step that ends with `?` may be absent. */
  readonly path?: ReadonlyArray<string>
  /** Whether rows may have nothing in it, if it is not a part of them. */
  readonly isOptional?: true
  /** Whether it is JSON. */
  readonly isJson?: true
  /** Whether it is a time: in UTC, with milliseconds. */
  readonly isTime?: true
}

/** Something that an index finds or sorts by, and that follows from the columns. */
export interface Computed<Row> {
  /** The expression, which databases find its index by. */
  readonly sql: string
  readonly read: (row: Row) => Value
}

/** What is true of a column. */
export type Condition =
  | { readonly column: string; readonly is: Value }
  | { readonly column: string; readonly isNot: Value }
  | { readonly column: string; readonly isPresent: boolean }
  | { readonly column: string; readonly includes: string }

/** An index of a table. */
export interface Index<Row> {
  /** The columns whose values ranges of it have. */
  readonly equal?: ReadonlyArray<string>
  /** The columns by which such rows are sorted; they end with the key, unless no two rows are alike before it. */
  readonly order?: ReadonlyArray<string>
  /** Which rows it contains. Default: all. */
  readonly where?: ReadonlyArray<Condition>
  /** Whether no two rows of it are alike in these columns. */
  readonly isUnique?: true
  /** The error of a write of such a row, if commands may come to it; otherwise it is a fault of the program. */
  readonly taken?: (row: Row) => Error
  /** What a shop switches on to have it, such as `createdAt`. Default: every store has it. */
  readonly option?: string
}

/** Rows of an index in its order, between two positions. */
export interface Range {
  /** The name of the index. Default: that of the key, with the live rows. */
  readonly index?: string
  /** The values of the columns that ranges of the index have; of the first columns of the key. */
  readonly equal?: Readonly<Record<string, Value>>
  /** Values that its row has in other columns, if it {@link hasOneRow}. It is found as without them. */
  readonly also?: Readonly<Record<string, Value>>
  /** Only rows that have these words, which blanks separate: as {@link Table.hasWords} says, by an index that a store may have. */
  readonly words?: Value
  /** It begins behind the rows with these values of the first columns of the order, in the direction of the query. */
  readonly after?: ReadonlyArray<Value>
  /** It begins with this value of the first column of the order. */
  readonly from?: Value
  /** It ends with this value of the first column of the order, and begins behind the rows that have none. */
  readonly to?: Value
  /** It ends before this value of the first column of the order, and begins behind the rows that have none. */
  readonly before?: Value
}

/** A row as a database returns it, by the names of the columns. Booleans may be 0 and 1. */
export type Stored = Readonly<Record<string, unknown>>

/** A table: rows by key, as commands name them and stores keep them. */
export interface Table<Row, Key extends number | string = number> {
  readonly name: string
  /** The columns that identify a row. */
  readonly key: ReadonlyArray<string>
  readonly keyOf: (row: Row) => Key
  readonly keyValues: (key: Key) => ReadonlyArray<Value>
  readonly columns: Readonly<Record<string, Column<Row>>>
  readonly computed: Readonly<Record<string, Computed<Row>>>
  readonly indexes: Readonly<Record<string, Index<Row>>>
  /** What is true of the rows that commands find. The others stay, so that no id is used twice. */
  readonly live: ReadonlyArray<Condition>
  /** Whether commands find a row. */
  readonly isLive: (row: Row) => boolean
  /** The row that a row belongs to, if it does: the lock of that one keeps this one as it is. */
  readonly ownerOf?: (row: Row) => Owner
  readonly decode: (stored: Stored) => Row
  /** Whether the store gives new rows their ids. */
  readonly generatesIds: boolean
  /** What becomes of a row that is added if a row with its key exists. Default: a fault of the program. */
  readonly existing?: "kept" | "replaced"
  /**
   * If the lock of a key that no row has keeps others from adding one: the error of a transaction that has waited for it for too
   * long, by what holds it.
   */
  readonly busy?: (cause: Error) => Error
  /** When a transaction locks its rows, among those of several tables: in ascending order, those of tables without a number last. */
  readonly lockOrder?: number
  /** The table of a later lock order whose rows are locked along with those that a column refers to, since nearly every command wants them next. */
  readonly alsoLocks?: AlsoLocked
  /** The tables that columns refer to: a row of their key exists. */
  readonly references: Readonly<Record<string, string>>
  /** What is impossible about a row by itself, in words; undefined if nothing is. */
  readonly problemOf?: (row: Row) => string | undefined
  /** What is true of every row, in the SQL that databases share. */
  readonly checks: ReadonlyArray<string>
  /** Percent of a page that new rows fill, where a changed row is written beside its last version. Default: 100. */
  readonly fill?: number
  /** Whether rows are long, so that a database keeps them apart from their keys. */
  readonly isWide: boolean
  /** If its rows are numbered from 1 without a gap, as the last column of the key, for each value of this one. */
  readonly numberedBy?: string
  /** The same row with another id. */
  readonly withId: (row: Row, id: number) => Row
  /** Copies a row, so that one who changes the copy does not change the row. */
  readonly copy: (row: Row) => Row
  /** Whether every request reads a row of it, so that stores keep those that were read. */
  readonly isCached: boolean
  /** Whether a row has words, each at least as the beginning of a longer one. */
  readonly hasWords?: (row: Row, words: ReadonlyArray<string>) => boolean
  /** What this shows of the rows of another table of the same name, which has more columns. It is read alone. */
  readonly viewOf?: (row: never) => Row
}

/** A column, and the table that it refers to. */
export interface AlsoLocked {
  readonly column: string
  readonly table: string
}

/** A row that others belong to. */
export interface Owner {
  readonly table: { readonly name: string }
  readonly key: number | string
}

/** Rows that are added, never changed or removed by what adds them. */
export interface Log<Row> {
  readonly name: string
  /** Only its type counts. */
  readonly rows: ReadonlyArray<Row>
}

/** Selects live rows of a table by anything but their key. */
export interface Query<Row, Argument, Key extends number | string = number> {
  readonly name: string
  readonly table: Table<Row, Key>
  /** Ranges of one order, whose rows are merged, or none; a claim takes one range after the other. */
  readonly ranges: (argument: Argument) => ReadonlyArray<Range>
  readonly selects: (row: Row, argument: Argument) => boolean
  /** The order of the rows. */
  readonly compare: (one: Row, other: Row, argument: Argument) => number
  /** Whether the last rows come first. */
  readonly isReversed: boolean
  /** Whether one transaction at a time asks it with an argument: another one waits until that ends. */
  readonly isExclusive: boolean
}

/** The field of a path, with `?` if it may be absent. */
// biome-ignore lint/complexity/noBannedTypes: an object without the field.
type Step<Row, Field extends keyof Row & string> = {} extends Pick<Row, Field> ? `${Field}?` : Field

type Leaf = string | number | boolean | Uint8Array | ReadonlyArray<unknown>

/** The paths to the fields of a row. */
export type Path<Row> = {
  readonly [Field in keyof Row & string]-?:
    | Step<Row, Field>
    | (NonNullable<Row[Field]> extends Leaf ? never : `${Step<Row, Field>}.${Path<NonNullable<Row[Field]>>}`)
}[keyof Row & string]

/**
 * Makes columns of rows of a type: by the path to a field, or by a function, for what follows from other columns. Both together read
 * faster, where that counts: readers by paths are one function for V8, which knows no field of it.
 */
export const columnsOf = <Row extends object>() => {
  const of =
    (type: ColumnType, form: Pick<Column<Row>, "isJson" | "isOptional" | "isTime"> = {}) =>
    (source: Path<Row> | ((row: Row) => Value), known?: (row: Row) => Value): Column<Row> => {
      if (typeof source === "function") return { type, ...form, read: source }
      const path = source.split(".")
      const read = readerOf<Row>(path)
      return form.isJson
        ? { type, ...form, path, read: (row) => jsonOf(read(row)) }
        : { type, ...form, path, read: known ?? (read as (row: Row) => Value) }
    }
  return {
    integer: of("integer"),
    text: of("text"),
    optionalText: of("text", { isOptional: true }),
    time: of("text", { isTime: true }),
    boolean: of("boolean"),
    bytes: of("bytes"),
    json: of("text", { isJson: true })
  }
}

const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))

/** The same object with another value at a path. */
const withValueAt = (object: object, [step = "", ...rest]: ReadonlyArray<string>, value: unknown): object => {
  const name = nameOf(step)
  const inner = rest.length === 0 ? value : withValueAt((object as Record<string, object>)[name] ?? {}, rest, value)
  return { ...object, [name]: inner }
}

const nameOf = (step: string): string => (step.endsWith("?") ? step.slice(0, -1) : step)

const readerOf = <Row extends object>([step = "", ...rest]: ReadonlyArray<string>): ((row: Row) => unknown) => {
  const field = nameOf(step)
  const read = (row: object): unknown => (row as Readonly<Record<string, unknown>>)[field]
  if (rest.length === 0) return read
  const readInner = readerOf(rest)
  return (row) => {
    const inner = read(row)
    return inner === undefined ? undefined : readInner(inner as object)
  }
}

/** What a description of a table says. */
export interface TableShape<Row, Key extends number | string> {
  /** The columns that identify a row. With several, also how keys are made of rows, and read. */
  readonly key: ReadonlyArray<string>
  readonly keyOf?: (row: Row) => Key
  readonly keyValues?: (key: Key) => ReadonlyArray<Value>
  readonly columns: Readonly<Record<string, Column<Row>>>
  readonly computed?: Readonly<Record<string, Computed<Row>>>
  readonly indexes?: Readonly<Record<string, Index<Row>>>
  readonly live?: ReadonlyArray<Condition>
  readonly ownerOf?: (row: Row) => Owner
  readonly generatesIds?: true
  readonly existing?: "kept" | "replaced"
  readonly busy?: (cause: Error) => Error
  readonly lockOrder?: number
  readonly alsoLocks?: AlsoLocked
  readonly references?: Readonly<Record<string, string>>
  readonly problemOf?: (row: Row) => string | undefined
  readonly checks?: ReadonlyArray<string>
  readonly fill?: number
  readonly isWide?: true
  readonly numberedBy?: string
  /** For tables of which a store in memory has many rows: its own copy, with literals of every field, which take half the space. */
  readonly copy?: (row: Row) => Row
  readonly isCached?: true
  readonly hasWords?: (row: Row, words: ReadonlyArray<string>) => boolean
}

/** A check that a column has one of some texts. For IN with more than two, SQLite fills a table whenever it writes the column. */
export const isOneOf = (column: string, texts: ReadonlyArray<string>): string =>
  texts.map((text) => `${column} = '${text}'`).join(" OR ")

/** Describes a table. */
export const table = <Row extends object, Key extends number | string = number>(
  name: string,
  shape: TableShape<Row, Key>
): Table<Row, Key> => {
  const { busy, columns, computed = {}, existing, hasWords, indexes = {}, key, live = [], ownerOf } = shape
  const [id] = key
  const keyOf = shape.keyOf ?? (columns[id ?? ""]?.read as ((row: Row) => Key) | undefined)
  if (keyOf === undefined) throw new Error(`The table ${name} has no column of its key`)
  return {
    name,
    key,
    keyOf,
    keyValues: shape.keyValues ?? ((one) => [one]),
    columns,
    computed,
    indexes,
    live,
    isLive: holdsAll(columns, live),
    decode: decoderOf(columns),
    copy: shape.copy ?? copierOf(columns),
    withId: (row, one) => withValueAt(row, columns[id ?? ""]?.path ?? [], one) as Row,
    references: shape.references ?? {},
    generatesIds: shape.generatesIds === true,
    isCached: shape.isCached === true,
    isWide: shape.isWide === true,
    checks: shape.checks ?? [],
    ...(shape.fill === undefined ? {} : { fill: shape.fill }),
    ...(busy === undefined ? {} : { busy }),
    ...(hasWords === undefined ? {} : { hasWords }),
    ...(shape.lockOrder === undefined ? {} : { lockOrder: shape.lockOrder }),
    ...(shape.alsoLocks === undefined ? {} : { alsoLocks: shape.alsoLocks }),
    ...(shape.problemOf === undefined ? {} : { problemOf: shape.problemOf }),
    ...(shape.numberedBy === undefined ? {} : { numberedBy: shape.numberedBy }),
    ...(existing === undefined ? {} : { existing }),
    ...(ownerOf === undefined ? {} : { ownerOf })
  }
}

/** Describes what some columns show of the rows of a table, for lists: a page costs what its columns cost. */
export const view = <Row extends object, Shown extends object, Key extends number | string>(
  of: Table<Row, Key>,
  columns: Readonly<Record<string, Column<Shown>>>,
  viewOf: (row: Row) => Shown
): Table<Shown, Key> => {
  const { busy: _, existing: __, generatesIds, isCached, key, keyValues, live, name, references } = of
  return {
    name,
    key,
    keyValues,
    live,
    references,
    generatesIds,
    isCached,
    checks: [],
    isWide: false,
    copy: copierOf(columns),
    withId: (row) => row,
    columns,
    computed: {},
    indexes: of.indexes as unknown as Table<Shown, Key>["indexes"],
    keyOf: columns[of.key[0] ?? ""]?.read as (row: Shown) => Key,
    isLive: () => true,
    decode: decoderOf(columns),
    viewOf
  }
}

/** Describes a query of a table. */
export const query = <Row extends object, Argument, Key extends number | string>(
  of: Table<Row, Key>,
  name: string,
  ranges: (argument: Argument) => ReadonlyArray<Range>,
  { isExclusive = false, isReversed = false }: { readonly isExclusive?: boolean; readonly isReversed?: boolean } = {}
): Query<Row, Argument, Key> => {
  let last: { readonly argument: Argument; readonly ranges: ReadonlyArray<Range> } | undefined
  /** Many rows are compared with one argument. */
  const rangesOf = (argument: Argument): ReadonlyArray<Range> => {
    if (last === undefined || last.argument !== argument) last = { argument, ranges: ranges(argument) }
    return last.ranges
  }
  return {
    name,
    table: of,
    ranges,
    isReversed,
    selects: (row, argument) => rangesOf(argument).some((range) => isInRange(of, range, row, isReversed)),
    isExclusive,
    compare: (one, other, argument) => compareIn(of, rangesOf(argument), one, other, isReversed) * (isReversed ? -1 : 1)
  }
}

/** What a range of a table is about: its condition, the columns of its order, and how they are read. */
export const rangeOf = <Row, Key extends number | string>(
  { computed, columns, indexes, key, live }: Table<Row, Key>,
  { equal = {}, index }: Range
) => {
  const chosen = index === undefined ? undefined : indexes[index]
  if (index !== undefined && chosen === undefined) throw new Error(`There is no index ${index}`)
  const reading = (name: string) => (computed[name] ?? columns[name])?.read ?? missing(name)
  const order = chosen === undefined ? key.filter((name) => !(name in equal)) : (chosen.order ?? [])
  return { where: chosen === undefined ? live : (chosen.where ?? []), reading, order }
}

const missing = (name: string): never => {
  throw new Error(`There is no column ${name}`)
}

/** Whether a range has one row at most: it has the whole key, or all columns of a unique index. */
export const hasOneRow = <Row, Key extends number | string>(
  { indexes, key }: Table<Row, Key>,
  { equal = {}, index }: Range
): boolean => {
  if (index === undefined) return key.every((name) => name in equal)
  const { isUnique, order = [] } = indexes[index] ?? {}
  return isUnique === true && order.length === 0
}

/** Whether a row is in a range. */
export const isInRange = <Row, Key extends number | string>(
  of: Table<Row, Key>,
  range: Range,
  row: Row,
  isReversed = false
): boolean => {
  const { order, reading, where } = rangeOf(of, range)
  const first = order[0] ?? ""
  const isPast = (values: ReadonlyArray<Value>): boolean => {
    for (const [place, value] of values.entries()) {
      const compared = compareValues(reading(order[place] ?? "")(row), value)
      if (compared !== 0) return compared > 0 !== isReversed
    }
    return false
  }
  const value = (): Value => reading(first)(row) ?? undefined
  const compared = (bound: Value): number => compareValues(value(), bound)
  const hasValues = (values: Range["equal"] = {}): boolean =>
    Object.entries(values).every(([name, value]) => reading(name)(row) === value)
  return (
    holdsAllOf(of, range, where)(row) &&
    hasValues(range.equal) &&
    hasValues(range.also) &&
    hasWords(of, row, range) &&
    (range.after === undefined || isPast(range.after)) &&
    (range.from === undefined || compared(range.from) >= 0) &&
    (range.to === undefined || (value() !== undefined && compared(range.to) <= 0)) &&
    (range.before === undefined || (value() !== undefined && compared(range.before) < 0))
  )
}

/** Whether a row has the words of a range. */
export const hasWords = <Row, Key extends number | string>(
  { hasWords: has }: Table<Row, Key>,
  row: Row,
  { words }: Range
): boolean => words === undefined || has?.(row, String(words).split(" ")) === true

/** The order of two rows: that of their ranges where these differ in their order, else that of the columns. */
const compareIn = <Row, Key extends number | string>(
  of: Table<Row, Key>,
  ranges: ReadonlyArray<Range>,
  one: Row,
  other: Row,
  isReversed: boolean
): number => {
  const orders = ranges.map((range) => rangeOf(of, range).order.join())
  const placeOf = (row: Row): number => ranges.findIndex((range) => isInRange(of, range, row, isReversed))
  if (new Set(orders).size > 1) {
    const apart = placeOf(one) - placeOf(other)
    if (apart !== 0) return apart
  }
  const { order, reading } = rangeOf(of, ranges[placeOf(one)] ?? ranges[0] ?? {})
  for (const name of order) {
    const compared = compareValues(reading(name)(one), reading(name)(other))
    if (compared !== 0) return compared
  }
  return 0
}

/** What conditions are about. */
type Readers<Row> = Readonly<Record<string, Pick<Column<Row>, "read">>>

const holds = <Row>(columns: Readers<Row>, condition: Condition): ((row: Row) => boolean) => {
  const read = columns[condition.column]?.read ?? missing(condition.column)
  if ("is" in condition) return (row) => read(row) === condition.is
  if ("isNot" in condition) return (row) => read(row) !== condition.isNot
  if ("includes" in condition) return (row) => String(read(row)).includes(condition.includes)
  const { isPresent } = condition
  return (row) => {
    const value = read(row)
    return (value !== undefined && value !== null) === isPresent
  }
}

/** Whether conditions hold for a row. */
export const holdsAll = <Row>(columns: Readers<Row>, conditions: ReadonlyArray<Condition>): ((row: Row) => boolean) => {
  const [first, ...rest] = conditions.map((condition) => holds(columns, condition))
  if (first === undefined) return () => true
  return rest.length === 0 ? first : (row) => first(row) && rest.every((one) => one(row))
}

const tests = new WeakMap<object, Map<string | undefined, unknown>>()

/** Whether the conditions of a range hold for a row. They are looked up once: many rows are compared. */
const holdsAllOf = <Row, Key extends number | string>(
  of: Table<Row, Key>,
  { index }: Range,
  where: ReadonlyArray<Condition>
): ((row: Row) => boolean) => {
  let known = tests.get(of)
  if (known === undefined) {
    known = new Map()
    tests.set(of, known)
  }
  const test = known.get(index) ?? holdsAll({ ...of.columns, ...of.computed }, where)
  known.set(index, test)
  return test as (row: Row) => boolean
}

/** The order of two values of a column, as databases sort them: texts by code points, and nothing first. */
export const compareValues = (one: Value, other: Value): number => {
  if (typeof one === "string" && typeof other === "string") return compareTexts(one, other)
  const [a, b] = [numberOf(one), numberOf(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

const numberOf = (value: Value): number => {
  if (value === undefined || value === null) return Number.NEGATIVE_INFINITY
  return typeof value === "number" || typeof value === "boolean" ? Number(value) : Number.POSITIVE_INFINITY
}

/** The operator `<` compares code units, which puts characters above U+FFFF before some below it. */
const compareTexts = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)]
    if (left === right) continue
    return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1
  }
  return one.length - other.length
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/** A field of a row, of a column. */
interface Field {
  readonly name: string
  readonly column: string
  readonly isOptional: boolean
  readonly convert: (value: unknown) => unknown
  /** Whether a value can be changed. */
  readonly copies: boolean
}

/** A part of a row that has fields of its own. */
interface Group {
  readonly name: string
  readonly isOptional: boolean
  readonly parts: Array<Field | Group>
}

const asIs = (value: unknown): unknown => value
const parsed = (value: unknown): unknown => JSON.parse(String(value))

const convertersOf = { integer: asIs, text: asIs, boolean: Boolean, bytes: asIs } satisfies Record<
  ColumnType,
  (value: unknown) => unknown
>

/** The parts of rows that their columns are about. */
const partsOf = <Row>(columns: Readonly<Record<string, Column<Row>>>): Group => {
  const root: Group = { name: "", isOptional: false, parts: [] }
  for (const [column, { isJson, path, type }] of Object.entries(columns)) {
    if (path === undefined) continue
    let group = root
    for (const step of path.slice(0, -1)) {
      const name = nameOf(step)
      const known = group.parts.find((part): part is Group => "parts" in part && part.name === name)
      const next: Group = known ?? { name, isOptional: step.endsWith("?"), parts: [] }
      if (known === undefined) group.parts.push(next)
      group = next
    }
    const step = path.at(-1) ?? ""
    const convert = isJson === true ? parsed : convertersOf[type]
    group.parts.push({
      name: nameOf(step),
      column,
      isOptional: step.endsWith("?"),
      convert,
      copies: isJson === true || type === "bytes"
    })
  }
  return root
}

/** Makes rows of the columns that have a path. */
const decoderOf = <Row>(columns: Readonly<Record<string, Column<Row>>>): ((stored: Stored) => Row) => {
  const root = partsOf(columns)
  return (stored) => made(root, stored) as Row
}

const copyOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Uint8Array) return value.slice()
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOf(part)]))
}

/** Copies rows. */
const copierOf = <Row>(columns: Readonly<Record<string, Column<Row>>>): ((row: Row) => Row) => {
  const root = partsOf(columns)
  return (row) => copied(root, row as object) as Row
}

const copied = ({ parts }: Group, row: object): object => {
  const copy: Record<string, unknown> = {}
  for (const part of parts) {
    const value = (row as Record<string, unknown>)[part.name]
    if (value === undefined) continue
    if ("parts" in part) copy[part.name] = copied(part, value as object)
    else copy[part.name] = part.copies ? copyOf(value) : value
  }
  return copy
}

/** A part of a row; undefined for one that may be absent, if one of its values is. */
const made = ({ isOptional, parts }: Group, stored: Stored): object | undefined => {
  const result: Record<string, unknown> = {}
  for (const part of parts) {
    if ("parts" in part) {
      const group = made(part, stored)
      if (group !== undefined) result[part.name] = group
      continue
    }
    const value = stored[part.column]
    if (value !== null) result[part.name] = part.convert(value)
    else if (part.isOptional) continue
    else if (isOptional) return undefined
    else result[part.name] = null
  }
  return result
}
