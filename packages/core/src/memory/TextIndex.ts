import type { MemoryIndex } from "./MemoryIndex.ts"
import { byText, SortedKeys } from "./SortedKeys.ts"

interface Entry<K> {
  readonly text: string
  readonly key: K
}

/** The rows in the order of a text of theirs, by code units. A row without one (undefined) is left out. */
export class TextIndex<K, Row> implements MemoryIndex<K, Row> {
  private readonly textOf: (row: Row) => string | undefined
  private readonly entries: SortedKeys<Entry<K>>

  constructor(compare: (a: K, b: K) => number, textOf: (row: Row) => string | undefined) {
    this.textOf = textOf
    this.entries = new SortedKeys((a, b) => byText(a.text, b.text) || compare(a.key, b.key))
  }

  get size(): number {
    return this.entries.size
  }

  /** The keys whose text comes before this one. */
  *before(text: string): Generator<K> {
    for (const entry of this.entries.from(() => false)) {
      if (entry.text >= text) return
      yield entry.key
    }
  }

  move(key: K, before: Row | undefined, after: Row | undefined): void {
    const from = before === undefined ? undefined : this.textOf(before)
    const to = after === undefined ? undefined : this.textOf(after)
    if (from === to) return
    if (from !== undefined) this.entries.remove({ text: from, key })
    if (to !== undefined) this.entries.add({ text: to, key })
  }

  covers(row: Row): boolean {
    return this.textOf(row) !== undefined
  }

  agrees(key: K, row: Row): boolean {
    const text = this.textOf(row)
    return text === undefined || this.entries.has({ text, key })
  }
}
