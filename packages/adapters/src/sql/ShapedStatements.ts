import type { Range, Table } from "@petstore/core/kernel"
import type { MergeRanges } from "./IndexRange.ts"
import { Asked, type Statement } from "./Program.ts"
import { indexRange, type RowKey } from "./tableText.ts"
import type { Value } from "./Value.ts"

/** The statement for all ranges of one shape. */
interface Shaped<A> {
  readonly statement: Statement<A>
  /** Its values but for the limit, by their places among those of the ranges. */
  readonly places: ReadonlyArray<Value>
}

/** More than the queries of a table have. */
const mostShapes = 256

/** Two limits with the same number of bits have one statement: a text may contain the next power of two. */
const bitsOf = (limit: number): number => 32 - Math.clz32(limit - 1)

/** What the text for ranges depends on. */
const shapeOf = (ranges: ReadonlyArray<Range>, limit: number, isReversed: boolean): string => {
  let shape = `${isReversed} ${bitsOf(limit)}`
  for (const { after = [], also, before, equal, from, index, to, words } of ranges) {
    shape += `;${index} ${after.length} ${from !== undefined} ${to !== undefined} ${before !== undefined} ${words !== undefined}`
    for (const column in equal) shape += ` ${column}`
    for (const column in also) shape += ` also ${column}`
  }
  return shape
}

/** The values of ranges, in one order. */
const valuesOf = (ranges: ReadonlyArray<Range>): Array<Value> => {
  const values: Array<Value> = []
  for (const { after, also, before, equal, from, to, words } of ranges) {
    for (const column in equal) values.push(equal[column])
    for (const column in also) values.push(also[column])
    if (after !== undefined) values.push(...after)
    if (from !== undefined) values.push(from)
    if (to !== undefined) values.push(to)
    if (before !== undefined) values.push(before)
    if (words !== undefined) values.push(words)
  }
  return values
}

type Named = NonNullable<Range["equal"]>

/** Ranges of the same shape whose values are their places in {@link valuesOf}. */
const numbered = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  let place = 0
  const placesOf = (values: Named): Named => Object.fromEntries(Object.keys(values).map((column) => [column, place++]))
  return ranges.map(({ after, also, before, equal, from, index, to, words }) => ({
    ...(index === undefined ? {} : { index }),
    ...(equal === undefined ? {} : { equal: placesOf(equal) }),
    ...(also === undefined ? {} : { also: placesOf(also) }),
    ...(after === undefined ? {} : { after: after.map(() => place++) }),
    ...(from === undefined ? {} : { from: place++ }),
    ...(to === undefined ? {} : { to: place++ }),
    ...(before === undefined ? {} : { before: place++ }),
    ...(words === undefined ? {} : { words: place++ })
  }))
}

/** The statements for ranges of one table. The text of one is made once for each shape of ranges: only values differ between calls. */
export class ShapedStatements<Row, Key extends RowKey, A> {
  private readonly table: Table<Row, Key>
  private readonly selectOf: (ranges: ReadonlyArray<Range>) => string
  private readonly statementOf: (text: string) => Statement<A>
  /** Undefined for a shape whose text has values in it. */
  private readonly shapes = new Map<MergeRanges, Map<string, Shaped<A> | undefined>>()

  constructor(
    table: Table<Row, Key>,
    selectOf: (ranges: ReadonlyArray<Range>) => string,
    statementOf: (text: string) => Statement<A>
  ) {
    this.table = table
    this.selectOf = selectOf
    this.statementOf = statementOf
  }

  asked(merge: MergeRanges, ranges: ReadonlyArray<Range>, limit: number, isReversed: boolean): Asked<A> {
    const shapes = this.shapesOf(merge)
    const shape = shapeOf(ranges, limit, isReversed)
    let shaped = shapes.get(shape)
    if (shaped === undefined && !shapes.has(shape)) {
      if (shapes.size >= mostShapes) shapes.clear()
      shaped = this.shaped(merge, ranges, limit, isReversed)
      shapes.set(shape, shaped)
    }
    if (shaped === undefined) {
      const { text, values } = this.merged(merge, ranges, limit, isReversed)
      return new Asked(this.statementOf(text), values)
    }
    const known = valuesOf(ranges)
    const values = shaped.places.map((place) => known[place as number])
    values.push(limit)
    return new Asked(shaped.statement, values)
  }

  private shapesOf(merge: MergeRanges): Map<string, Shaped<A> | undefined> {
    let shapes = this.shapes.get(merge)
    if (shapes === undefined) {
      shapes = new Map()
      this.shapes.set(merge, shapes)
    }
    return shapes
  }

  private shaped(
    merge: MergeRanges,
    ranges: ReadonlyArray<Range>,
    limit: number,
    isReversed: boolean
  ): Shaped<A> | undefined {
    const most = 2 ** bitsOf(limit)
    const other = limit === most ? (most >> 1) + 1 : most
    const { text, values } = this.merged(merge, numbered(ranges), other, isReversed)
    return text === this.merged(merge, ranges, limit, isReversed).text && values.at(-1) === other
      ? { statement: this.statementOf(text), places: values.slice(0, -1) }
      : undefined
  }

  private merged(merge: MergeRanges, ranges: ReadonlyArray<Range>, limit: number, isReversed: boolean) {
    const indexRanges = ranges.map((range) => indexRange(this.table, range))
    return merge(this.selectOf(ranges), indexRanges, limit, isReversed)
  }
}
