/** What can be read from a file. */
export const fields = ["name", "category", "status", "quantity"] as const
export type Field = (typeof fields)[number]

/** One row of a file. */
export type SourceRow = {
  /** The line of the file on which it begins, from 1. */
  readonly line: number
  /** Its texts as they stand in the file, for the report on rejected rows. */
  readonly original: ReadonlyArray<string>
} & (
  | {
      /** What it says, not yet checked. */
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
  /** What the texts of a row are. */
  readonly titles: ReadonlyArray<string>
  /** In the order of the file, in portions as they are read. */
  readonly rows: AsyncIterable<ReadonlyArray<SourceRow>>
}
