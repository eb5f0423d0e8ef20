import { HeldRow, type Later, type RowView } from "./HeldRow.ts"

/** How the records of a table are handled. */
export interface HeldRecords<A> {
  /** Whether bodies find a record, which may have been deleted. */
  readonly isVisible?: (record: A) => boolean
  /** A copy, so that a body that changes what it has saved or read changes nothing in the group. */
  readonly copy: (record: A) => A
}

/** The rows of one table that a group holds, by their keys. */
export class HeldTable<A> implements RowView<A> {
  private readonly rows = new Map<number | string, HeldRow<A>>()
  readonly copy: (record: A) => A
  private readonly isVisible: (record: A) => boolean
  private readonly later: Later
  private wanted: Array<HeldRow<A>> = []

  constructor(later: Later, { copy, isVisible = () => true }: HeldRecords<A>) {
    this.later = later
    this.copy = copy
    this.isVisible = isVisible
  }

  /** Whether the group must lock rows that bodies want. */
  get isIncomplete(): boolean {
    return this.wanted.length > 0
  }

  view(record: A): A | undefined {
    return this.isVisible(record) ? this.copy(record) : undefined
  }

  find(key: number | string): HeldRow<A> | undefined {
    return this.rows.get(key)
  }

  /** The row with this key. The group must lock it if it is new to it. */
  want(key: number | string): HeldRow<A> {
    const known = this.rows.get(key)
    if (known !== undefined) return known
    const row = this.row(key, false)
    this.wanted.push(row)
    return row
  }

  /** The rows to lock now. */
  takeWanted(): ReadonlyArray<HeldRow<A>> {
    const { wanted } = this
    this.wanted = []
    return wanted
  }

  /** Ends the wait of all bodies, which `leave` makes leave the group. */
  refuseAll(leave: Parameters<HeldRow<A>["refuse"]>[0]): void {
    for (const row of this.rows.values()) row.refuse(leave)
  }

  /** Adds a row that a body has made, or that was locked along with another. */
  add(key: number | string): HeldRow<A> {
    return this.row(key, true)
  }

  remove(row: HeldRow<A>): void {
    this.rows.delete(row.key)
  }

  /** The records that are not as they are in the database: those without a row there, and the others with what is there. */
  changes(): { readonly added: ReadonlyArray<A>; readonly changed: ReadonlyArray<readonly [stored: A, record: A]> } {
    const added: Array<A> = []
    const changed: Array<readonly [A, A]> = []
    for (const { record, stored } of this.rows.values()) {
      if (record === stored || record === undefined) continue
      if (stored === undefined) added.push(record)
      else changed.push([stored, record])
    }
    return { added, changed }
  }

  /**
   * The records without a row in the database, as bodies that ended have left them, which are about to be written: rows of
   * other tables may refer to them. From now on they count as stored.
   */
  takeAdded(): ReadonlyArray<A> {
    const added: Array<A> = []
    for (const row of this.rows.values()) {
      if (row.settled === undefined || row.stored !== undefined) continue
      row.stored = row.settled
      added.push(row.settled)
    }
    return added
  }

  private row(key: number | string, isLocked: boolean): HeldRow<A> {
    const row = new HeldRow<A>(key, isLocked, this, this.later)
    this.rows.set(key, row)
    return row
  }
}
