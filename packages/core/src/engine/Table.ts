/** Rows by key, as commands name them. */
export interface Table<Row, Key extends number | string = number> {
  readonly name: string
  readonly keyOf: (row: Row) => Key
  /** Whether commands find a row. The others stay, so that no id is used twice. */
  readonly isLive: (row: Row) => boolean
  /** The row that a row belongs to, if it does: the lock of that one keeps this one as it is. */
  readonly ownerOf?: (row: Row) => Owner
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
  readonly selects: (row: Row, argument: Argument) => boolean
  /** Whether one transaction at a time asks it: another one waits until that ends. */
  readonly isExclusive?: true
  /** The order of the rows; that of their keys if absent. */
  readonly compare?: (one: Row, other: Row) => number
}

/** The order in which a query returns rows. */
export const orderOf = <Row, Argument, Key extends number | string>({
  compare,
  table: { keyOf }
}: Query<Row, Argument, Key>): ((one: Row, other: Row) => number) =>
  compare ??
  ((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    return a < b ? -1 : a > b ? 1 : 0
  })
