/** The fields of a row. */
export const fields = ["name", "category", "status", "quantity"] as const
export type Field = (typeof fields)[number]

/** One row of a file. */
export type SourceRow = {
  /** The line of the file on which it begins, from 1. */
  readonly line: number
  /** Its cells as they are in the file, for the file of rejected rows. */
  readonly original: ReadonlyArray<string>
} & (
  | {
      /** Its values, not validated yet. */
      readonly values: Readonly<Partial<Record<Field, unknown>>>
      readonly problem?: never
    }
  | {
      /** Why it cannot be read. */
      readonly problem: string
    }
)

/** The rows of a file. */
export interface RowSource {
  /** The titles of the cells in `original`. */
  readonly titles: ReadonlyArray<string>
  /** In the order of the file, in chunks as they are read. */
  readonly rows: AsyncIterable<ReadonlyArray<SourceRow>>
}
