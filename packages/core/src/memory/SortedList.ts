const chunkSize = 512

/** Up to this length a chunk is copied by `concat`: elsewhere V8 makes room for 16 more items, which most short lists never need. */
const fewItems = 16

/** Distinct items in ascending order, kept in chunks, so that an addition or removal moves the items of one chunk only. */
export class SortedList<A> {
  private readonly compare: (a: A, b: A) => number
  /** The chunks before the last one. Most lists have none, so this array is shared until there is one. */
  private before: Array<Array<A>> = none
  /** The last chunk: most additions are at its end. It is empty only if the list is. */
  private end: Array<A> = none

  /** No two items of a list may compare equal. */
  constructor(compare: (a: A, b: A) => number) {
    this.compare = compare
  }

  get size(): number {
    return this.before.reduce((size, { length }) => size + length, this.end.length)
  }

  get last(): A | undefined {
    return this.end[this.end.length - 1]
  }

  has(item: A): boolean {
    const { next } = this.seek((other) => this.compare(other, item) < 0)
    return next !== undefined && this.compare(next, item) === 0
  }

  add(item: A): void {
    const { end } = this
    const last = end[end.length - 1]
    if (last !== undefined && this.compare(last, item) >= 0) this.insert(item)
    else if (end.length < fewItems) this.end = end.concat([item])
    else if (end.length < chunkSize) end.push(item)
    else this.append([item])
  }

  remove(item: A): void {
    const { chunk, next, index } = this.seek((other) => this.compare(other, item) < 0)
    if (next === undefined || this.compare(next, item) !== 0) return
    const items = this.chunkAt(chunk)
    items.splice(index, 1)
    if (items.length > 0) return
    if (items === this.end) this.end = this.before.pop() ?? none
    else this.before.splice(chunk, 1)
  }

  /** The items from the first for which `isBefore` is false. It must be true for a leading part of the list only. */
  *from(isBefore: (item: A) => boolean): Generator<A> {
    const start = this.seek(isBefore)
    for (let chunk = start.chunk; chunk <= this.before.length; chunk++) {
      const items = this.chunkAt(chunk)
      for (let index = chunk === start.chunk ? start.index : 0; index < items.length; index++) {
        const item = items[index]
        if (item !== undefined) yield item
      }
    }
  }

  /** The items for which `isIn` is true, the last one first. It must be true for a leading part of the list only. */
  *back(isIn: (item: A) => boolean): Generator<A> {
    const end = this.seek(isIn)
    for (let chunk = end.chunk; chunk >= 0; chunk--) {
      const items = this.chunkAt(chunk)
      for (let index = (chunk === end.chunk ? end.index : items.length) - 1; index >= 0; index--) {
        const item = items[index]
        if (item !== undefined) yield item
      }
    }
  }

  private chunkAt(index: number): Array<A> {
    return this.before[index] ?? this.end
  }

  /** Adds a chunk behind the last one. */
  private append(items: Array<A>): void {
    if (this.before.length === 0) this.before = [this.end]
    else this.before.push(this.end)
    this.end = items
  }

  private insert(item: A): void {
    const { chunk, index } = this.seek((other) => this.compare(other, item) < 0)
    const items = this.chunkAt(chunk)
    items.splice(index, 0, item)
    if (items.length <= chunkSize) return
    const half = items.splice(chunkSize / 2)
    if (items === this.end) this.append(half)
    else this.before.splice(chunk + 1, 0, half)
  }

  private seek(isBefore: (item: A) => boolean) {
    const chunk = firstNot(this.before, (items) => {
      const last = items[items.length - 1]
      return last !== undefined && isBefore(last)
    })
    const items = this.chunkAt(chunk)
    const index = firstNot(items, isBefore)
    return { chunk, index, next: items[index] }
  }
}

/** Shared by lists that have no items, or no second chunk. */
const none: Array<never> = []

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
