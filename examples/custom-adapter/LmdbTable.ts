import type { Key, RootDatabase } from "lmdb"

/** Keys are lists, and LMDB keeps them in order: by their first part, then by the next one. */
export type Keys = ReadonlyArray<Key>
export type Root = RootDatabase<unknown, Array<Key>>

/** The key of a row, and what else it is found by, such as ["name", "Rex"]. A row of no group is a tombstone. */
type Place = { readonly key: Keys; readonly groups?: ReadonlyArray<Keys> }

/** Sorts behind every number and text. */
const beyond = new Uint8Array([0xff])

/** Rows at [name, "row", ...key], and for each of their groups an entry without content at [name, ...group, ...key]. */
export const lmdbTable = <Row>(root: Root, name: string, placeOf: (row: Row) => Place) => {
  const entriesOf = (row: Row): ReadonlyArray<Array<Key>> => {
    const { groups = [], key } = placeOf(row)
    return [["row"], ...groups].map((group) => [name, ...group, ...key])
  }

  /** A row, tombstones included, as it was written. */
  const get = (...key: Keys) => root.get([name, "row", ...key]) as Row | undefined

  /** The keys in a group, behind one of them; only those that begin with `parts`. All rows are in the group "row". */
  function* keys(group: Keys, after: Keys = [], parts: Keys = []): Generator<Array<Key>> {
    const prefix = [name, ...group, ...parts]
    const range = { start: [...prefix, ...after], exclusiveStart: true, end: [...prefix, beyond] }
    for (const key of root.getKeys(range)) yield key.slice(1 + group.length)
  }

  /** The first rows of these keys that match. */
  const take = (some: Iterable<Keys>, limit: number, matches: (row: Row) => boolean = () => true): Array<Row> => {
    const rows: Array<Row> = []
    for (const key of some) {
      if (rows.length >= limit) break
      const row = get(...key)
      if (row !== undefined && matches(row)) rows.push(row)
    }
    return rows
  }

  /** The first rows of a group, behind a key. */
  const page = (group: Keys, after: Keys = [], limit = 1): Array<Row> => take(keys(group, after), limit)

  /** A row that is no tombstone. */
  const find = (id: number) => take([[id]], 1, (row) => placeOf(row).groups?.length !== 0)[0]

  /** The last number of the keys that begin with `parts`; 0 if there is none. */
  const last = (...parts: Keys): number => {
    const prefix = [name, "row", ...parts]
    const [key] = root.getKeys({ start: [...prefix, beyond], end: prefix, reverse: true, limit: 1 })
    return Number(key?.at(-1) ?? 0)
  }

  const remove = (rows: ReadonlyArray<Row>): void => {
    for (const entry of rows.flatMap(entriesOf)) root.removeSync(entry)
  }

  /** Writes a row, in place of the one of its key. */
  const put = (row: Row): void => {
    remove(take([placeOf(row).key], 1))
    for (const entry of entriesOf(row)) root.putSync(entry, entry[1] === "row" ? row : null)
  }

  /** Changes a row that stays in its groups. */
  const change = (id: number, to: (row: Row) => Row): void => {
    const row = get(id)
    if (row !== undefined) root.putSync([name, "row", id], to(row))
  }

  /** Adds a row with the next id. Rows with ids are never removed, so no other row had it before. */
  const add = (rowOf: (id: number) => Row): number => {
    const id = last() + 1
    put(rowOf(id))
    return id
  }

  /** Where the entries do not agree with the rows. */
  const problems = (): ReadonlyArray<string> => {
    const stored = [...keys([])].length
    const expected = page(["row"], [], stored).flatMap(entriesOf)
    const agree = stored === expected.length && expected.every((entry) => root.doesExist(entry))
    return agree ? [] : [`${name}: the entries do not agree with the rows`]
  }

  return { get, find, keys, take, page, last, add, put, change, remove, problems }
}

export type LmdbTable<Row> = ReturnType<typeof lmdbTable<Row>>
