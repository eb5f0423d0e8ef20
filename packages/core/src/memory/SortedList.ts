const chunkSize = 512

/** Up to this length a chunk is copied when it grows: V8 makes room for 16 more, which most short lists never need. */
const fewItems = 16

/** Distinct items in ascending order, kept in chunks, so that an addition or removal moves the items of one chunk only. */
export class SortedList<A> {
  private readonly compare: (a: A, b: A) => number
  private chunks: Array<Array<A>> = []

  /** No two items of a list may compare equal. */
  constructor(compare: (a: A, b: A) => number) {
    this.compare = compare
  }

  get size(): number {
    return this.chunks.reduce((size, { length }) => size + length, 0)
  }

  get last(): A | undefined {
    return this.chunks.at(-1)?.at(-1)
  }

  has(item: A): boolean {
    const { found } = this.seek((other) => this.compare(other, item) < 0)
    return found !== undefined && this.compare(found, item) === 0
  }

  add(item: A): void {
    const ends = this.chunks[this.chunks.length - 1]
    const last = ends?.[ends.length - 1]
    if (ends === undefined || last === undefined) this.chunks = [[item]]
    else if (this.compare(last, item) >= 0) this.insert(item)
    else if (ends.length >= chunkSize) this.chunks.push([item])
    else if (ends.length < fewItems) this.chunks[this.chunks.length - 1] = [...ends, item]
    else ends.push(item)
  }

  remove(item: A): void {
    const { chunk, found, index } = this.seek((other) => this.compare(other, item) < 0)
    const items = this.chunks[chunk]
    if (items === undefined || found === undefined || this.compare(found, item) !== 0) return
    items.splice(index, 1)
    if (items.length === 0) this.chunks.splice(chunk, 1)
  }

  /** The items from the first for which `isBefore` is false. It must be true for a leading part of the list only. */
  *from(isBefore: (item: A) => boolean): Generator<A> {
    const start = this.seek(isBefore)
    for (let chunk = start.chunk; chunk < this.chunks.length; chunk++) {
      const items = this.chunks[chunk] ?? []
      for (let index = chunk === start.chunk ? start.index : 0; index < items.length; index++) {
        const item = items[index]
        if (item !== undefined) yield item
      }
    }
  }

  private insert(item: A): void {
    const { chunk, index } = this.seek((other) => this.compare(other, item) < 0)
    const items = this.chunks[chunk] ?? []
    items.splice(index, 0, item)
    if (items.length > chunkSize) this.chunks.splice(chunk + 1, 0, items.splice(chunkSize / 2))
  }

  private seek(isBefore: (item: A) => boolean) {
    const chunk = firstNot(this.chunks, (items) => {
      const last = items.at(-1)
      return last !== undefined && isBefore(last)
    })
    const items = this.chunks[chunk] ?? []
    const index = firstNot(items, isBefore)
    return { chunk, index, found: items[index] }
  }
}

/** The index of the first item for which `holds` is false, by bisection. */
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
