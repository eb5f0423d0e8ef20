import type { HeldTable, Key } from "./HeldTable.ts"

/** The most rows that are remembered. */
const mostRows = 4096

/** The largest group whose rows are remembered: in larger ones, commands share their flights. */
const largestGroup = 4

/** The most lone commands that lock their rows first after one has found a row changed. */
const mostCautious = 64

/**
 * The rows as the last small groups have left them, and the guess that they still are so. A lone command that finds what it reads
 * here is written by one statement, which does nothing if a row has changed meanwhile. Where others change the same rows, it guesses less often.
 */
export class KnownRows {
  private rows = new Map<string, unknown>()
  private pause = 1
  private left = 0

  /** Whether the next lone command guesses. */
  guesses(): boolean {
    if (this.left === 0) return true
    this.left--
    return false
  }

  /** What is probably stored under a key: a row, or nothing where nearly every key is new; undefined if that is not known. */
  find({ table: { busy, name } }: HeldTable, key: Key): { readonly row: unknown } | undefined {
    const row = this.rows.get(nameOf(name, key))
    if (busy !== undefined) return row === undefined ? nothing : undefined
    return row === undefined ? undefined : { row }
  }

  /** Remembers the rows of a group that is committed. */
  note(tables: Iterable<HeldTable>, commands: number): void {
    if (commands > largestGroup) {
      this.rows.clear()
      return
    }
    for (const { current, reading, table } of tables) {
      // Messages fill the memory, and have mostly been changed by a claim when they are locked.
      if (reading !== "lock" || table.isWide) continue
      for (const [key, row] of current) {
        const name = nameOf(table.name, key)
        // Those that were used last stay longest.
        this.rows.delete(name)
        this.rows.set(name, table.busy === undefined ? row : taken)
      }
    }
    for (const name of this.rows.keys()) {
      if (this.rows.size <= mostRows) return
      this.rows.delete(name)
    }
  }

  /** Notes whether the rows were as guessed. */
  proved(isRight: boolean): void {
    this.pause = isRight ? Math.max(1, this.pause / 2) : Math.min(mostCautious, this.pause * 2)
    if (!isRight) this.left = this.pause
  }
}

const nothing = { row: undefined }
const taken = true

const nameOf = (table: string, key: Key): string => `${table} ${key}`
