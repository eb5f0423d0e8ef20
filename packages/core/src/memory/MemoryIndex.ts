/** A view of a table that follows every change of a row. */
export interface MemoryIndex<K, Row> {
  /** Follows a row from one state to another; undefined where it is not there. */
  readonly move: (key: K, before: Row | undefined, after: Row | undefined) => void
  /** How many rows it holds. */
  readonly size: number
  /** Whether a row belongs in it. */
  readonly covers: (row: Row) => boolean
  /** Whether it holds the row where it belongs, or does not where it does not belong. */
  readonly agrees: (key: K, row: Row) => boolean
}
