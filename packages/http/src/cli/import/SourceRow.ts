/** The fields of a row. */
export const fields = ["name", "category", "status", "quantity"] as const
export type Field = (typeof fields)[number]

/** Reads a value of a file: undefined if it is blank, and the text itself if it should be a number but is not. */
export const readValue = (field: Field, value: unknown): unknown => {
  if (typeof value !== "string") return value ?? undefined
  const text = value.trim()
  if (text === "") return undefined
  switch (field) {
    case "status":
      return text
    case "quantity":
      return /^\d{1,10}(\.0{1,10})?$/.test(text) ? Number(text) : text
    default:
      return value
  }
}

/** The values of a row, not validated yet. */
export type Values = Readonly<Partial<Record<Field, unknown>>>

export type Unit = "line" | "row"

export type SourceRow = {
  /** The line of the file on which it begins, from 1. In a format without lines, its number. */
  readonly line: number
  /** Its bytes in the file, for the file of rejected rows. */
  readonly bytes: Buffer
  /** Whether the bytes are cells of CSV. */
  readonly isCsv: boolean
  /** Whether every cell is blank. Such a row is neither imported nor rejected. */
  readonly isBlank?: boolean
  readonly spansLines?: boolean
} & (
  | {
      readonly values: Values
      readonly problem?: never
    }
  | {
      /** Why it cannot be read. */
      readonly problem: string
    }
)

export interface RowSource {
  /** What the lines of its rows count: the lines of the file, or the rows of a format without lines. */
  readonly unit: Unit
  /** The titles of the cells of a row; undefined if its rows are objects of JSON. */
  readonly titles: ReadonlyArray<string> | undefined
  /** The character between two cells. */
  readonly delimiter: string
  /** What the file says of more pets that are not in it. */
  readonly more?: string | undefined
  /** In the order of the file, in chunks as they are read. */
  readonly rows: AsyncIterable<ReadonlyArray<SourceRow>>
}
