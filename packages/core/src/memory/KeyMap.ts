const pageSize = 512

/**
 * A map for the keys of a table. Ids that are given one after the other are places in pages of an array, which take a quarter of the space of
 * a `Map` and are found sooner; other keys are in a `Map`.
 */
export class KeyMap<K extends number | string, V extends object> {
  private readonly pages: Array<Array<V | undefined>> = []
  private readonly others = new Map<K, V>()
  private inPages = 0

  get size(): number {
    return this.inPages + this.others.size
  }

  get(key: K): V | undefined {
    return this.pageOf(key)?.[placeOf(key)] ?? (this.others.size === 0 ? undefined : this.others.get(key))
  }

  has(key: K): boolean {
    return this.get(key) !== undefined
  }

  set(key: K, value: V): void {
    // A key that came before its page stays where it is.
    const isOther = this.others.size > 0 && this.others.has(key)
    const page = isOther ? undefined : (this.pageOf(key) ?? this.nextPage(key))
    if (page === undefined) {
      this.others.set(key, value)
      return
    }
    const place = placeOf(key)
    if (page[place] === undefined) this.inPages++
    page[place] = value
  }

  delete(key: K): void {
    const page = this.pageOf(key)
    const place = placeOf(key)
    if (page?.[place] === undefined) this.others.delete(key)
    else {
      page[place] = undefined
      this.inPages--
    }
  }

  *values(): Generator<V> {
    for (const page of this.pages) for (const value of page) if (value !== undefined) yield value
    yield* this.others.values()
  }

  private pageOf(key: K): Array<V | undefined> | undefined {
    return typeof key === "number" && Number.isInteger(key) ? this.pages[Math.floor(key / pageSize)] : undefined
  }

  /** A new page for this key, if all before it are there and the key is near its start. */
  private nextPage(key: K): Array<V | undefined> | undefined {
    if (typeof key !== "number" || !Number.isInteger(key)) return undefined
    if (Math.floor(key / pageSize) !== this.pages.length || key % pageSize > 1) return undefined
    const page: Array<V | undefined> = []
    this.pages.push(page)
    return page
  }
}

const placeOf = (key: number | string): number => (typeof key === "number" ? key % pageSize : 0)
