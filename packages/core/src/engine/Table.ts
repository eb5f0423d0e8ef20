/** Rows by key, as commands name them. */
export interface Table<Row, Key extends number | string = number> {
  readonly name: string
  readonly keyOf: (row: Row) => Key
  /** Whether commands find a row. The others stay, so that no id is used twice. */
  readonly isLive: (row: Row) => boolean
}

/** Rows that are added, never changed or removed. */
export interface Log<Row> {
  readonly name: string
  /** Only its type counts. */
  readonly rows: ReadonlyArray<Row>
}

/** Selects live rows of a table by anything but their key. */
export interface Query<Row, Argument> {
  readonly name: string
  readonly table: Table<Row>
  readonly selects: (row: Row, argument: Argument) => boolean
}
