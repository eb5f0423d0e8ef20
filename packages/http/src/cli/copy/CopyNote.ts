import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * How far a copy has come. The target keeps it until the copy is finished, in the transaction of each page. The ids in the target show neither
 * which source was copied nor whether all of it was.
 */
export interface CopyNote {
  /** How many records each table of the source had when the copy began. */
  readonly source: Readonly<Record<string, number>>
  /** A random text of the process that copies. */
  readonly process: string
  /** The part that is being copied. */
  readonly part: string
  /** How many of its records are in the target. */
  readonly rows: number
}

const Count = Schema.Number

const Note = Schema.Struct({
  source: Schema.Record(Schema.String, Count),
  process: Schema.String,
  part: Schema.String,
  rows: Count
})

const read = Schema.decodeUnknownOption(Schema.fromJsonString(Note))

/** Reads a note; undefined if it is not of a copy. */
export const parseNote = (text: string): CopyNote | undefined => Option.getOrUndefined(read(text))

export const formatNote = ({ part, process, rows, source }: CopyNote): string =>
  JSON.stringify({ source, process, part, rows })
