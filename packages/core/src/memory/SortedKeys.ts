const chunkSize = 512

/** Orders numbers. */
export const byNumber = (a: number, b: number): number => a - b

/** Orders text by its code units. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Distinct keys in ascending order. Kept in chunks, so that no change moves more than one chunk's worth of them. */
export class SortedKeys<K> {
  private readonly compare: (a: K, b: K) => number
  private readonly chunks: Array<Array<K>> = []
  private count = 0

  constructor(compare: (a: K, b: K) => number) {
    this.compare = compare
  }

  get size(): number {
    return this.count
  }

  get last(): K | undefined {
    return this.chunks.at(-1)?.at(-1)
  }

  has(key: K): boolean {
    const { chunk, index } = this.seek((other) => this.compare(other, key) < 0)
    const found = this.chunks[chunk]?.[index]
    return found !== undefined && this.compare(found, key) === 0
  }

  add(key: K): void {
    const { chunk, index } = this.seek((other) => this.compare(other, key) < 0)
    const keys = this.chunks[chunk]
    if (keys === undefined) {
      this.append(key)
    } else {
      const found = keys[index]
      if (found !== undefined && this.compare(found, key) === 0) return
      keys.splice(index, 0, key)
      if (keys.length > chunkSize) this.chunks.splice(chunk + 1, 0, keys.splice(chunkSize / 2))
    }
    this.count++
  }

  remove(key: K): void {
    const { chunk, index } = this.seek((other) => this.compare(other, key) < 0)
    const keys = this.chunks[chunk]
    const found = keys?.[index]
    if (keys === undefined || found === undefined || this.compare(found, key) !== 0) return
    keys.splice(index, 1)
    if (keys.length === 0) this.chunks.splice(chunk, 1)
    this.count--
  }

  /** The keys above this one. */
  above(key: K): Generator<K> {
    return this.from((other) => this.compare(other, key) <= 0)
  }

  /** The keys from the first on that does not come before; `isBefore` is true for a leading part of them. */
  *from(isBefore: (key: K) => boolean): Generator<K> {
    const start = this.seek(isBefore)
    for (let chunk = start.chunk; chunk < this.chunks.length; chunk++) {
      const keys = this.chunks[chunk] ?? []
      for (let index = chunk === start.chunk ? start.index : 0; index < keys.length; index++) {
        const key = keys[index]
        if (key !== undefined) yield key
      }
    }
  }

  private append(key: K): void {
    const last = this.chunks.at(-1)
    if (last === undefined || last.length >= chunkSize) this.chunks.push([key])
    else last.push(key)
  }

  private seek(isBefore: (key: K) => boolean): { readonly chunk: number; readonly index: number } {
    const chunk = firstNot(this.chunks, (keys) => {
      const last = keys.at(-1)
      return last !== undefined && isBefore(last)
    })
    return { chunk, index: firstNot(this.chunks[chunk] ?? [], isBefore) }
  }
}

const firstNot = <A>(items: ReadonlyArray<A>, holds: (item: A) => boolean): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && holds(item)) low = middle + 1
    else high = middle
  }
  return low
}
