import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Command, fail, orFail, runNow } from "./Command.ts"
import { columnsOf, type Log, query, table } from "./Table.ts"
import { type Source, Transaction } from "./Transaction.ts"

interface Shelf {
  readonly id: number
  readonly room: string
  readonly isGone?: true
}

const shelf = columnsOf<Shelf>()

const shelves = table<Shelf>("shelves", {
  key: ["id"],
  generatesIds: true,
  columns: { id: shelf.integer("id"), room: shelf.text("room"), is_gone: shelf.boolean("isGone?") },
  live: [{ column: "is_gone", isNot: true }],
  indexes: { room: { equal: ["room"], order: ["id"], where: [{ column: "is_gone", isNot: true }] } }
})
const inRoom = query(shelves, "inRoom", (name: string) => [{ index: "room", equal: { room: name } }])
const notes: Log<string> = { name: "notes", rows: [] }

/** A book stands on a shelf: the lock of the shelf keeps it where it is. */
interface Book {
  readonly title: string
  readonly shelf: number
  readonly isLent?: true
}

const book = columnsOf<Book>()

const books = table<Book, string>("books", {
  key: ["title"],
  columns: { title: book.text("title"), shelf: book.integer("shelf"), is_lent: book.boolean("isLent?") },
  ownerOf: ({ shelf: key }) => ({ table: shelves, key }),
  indexes: { shelf: { equal: ["shelf"], order: ["title"] } }
})
/** The books on a shelf, the last one first. */
const onShelf = query(books, "onShelf", (id: number) => [{ index: "shelf", equal: { shelf: id } }], {
  isReversed: true
})

/** A store of shelves and books whose rows are at hand, and what was asked of it. */
const storeOf = (...rows: ReadonlyArray<Shelf | Book>) => {
  const isShelf = (row: Shelf | Book): row is Shelf => "id" in row
  const keyOf = (row: Shelf | Book) => (isShelf(row) ? row.id : row.title)
  const stored = new Map(rows.map((row) => [keyOf(row), row]))
  const asked: Array<string> = []
  const live = () => [...stored.values()].filter((row) => !isShelf(row) || shelves.isLive(row))
  const select: Source["select"] = ({ selects, table }, argument, limit) => {
    const found: ReadonlyArray<unknown> = live()
      .filter((row) => isShelf(row) === (table.name === "shelves"))
      .filter((row) => selects(row as never, argument))
    const page: ReadonlyArray<unknown> = found.slice(0, limit)
    return page as ReadonlyArray<never>
  }
  const source: Source = {
    storesNew: false,
    load: (reading, table, key) => {
      asked.push(`${reading} ${table.name} ${key}`)
      return live().find((row) => keyOf(row) === key) as never
    },
    select,
    count: (query, argument, limit) => (select(query, argument, limit) as ReadonlyArray<unknown>).length,
    claim: select,
    findAll: () => [],
    scan: (after, limit) => {
      const page: ReadonlyArray<unknown> = ["a", "b", "c"].slice(after, after + limit)
      return page as ReadonlyArray<never>
    },
    last: () => 3,
    insert: (_, rowsOf) => rowsOf.map((rowOf, index) => rowOf(stored.size + 1 + index))
  }
  return { source, asked }
}

/** Runs a command on rows that are at hand, and returns its result with what it would write. */
const run = <A, E>(source: Source, command: (tx: Transaction) => Command<A, E>) => {
  const tx = new Transaction(source)
  const result = runNow(command(tx))
  const writes = tx.writes.map((write) => {
    if (!("table" in write)) return write
    const { before, key, row, table } = write
    return { table, key, row, before }
  })
  return { result, writes }
}

const first: Shelf = { id: 1, room: "hall" }

describe("given a command", () => {
  it("when it locks a row twice, then the store is asked once, and it sees what it has saved", () => {
    const { asked, source } = storeOf(first)
    const { result, writes } = run(source, function* (tx) {
      const shelf = yield* tx.lock(shelves, 1)
      tx.save(shelves, { ...first, room: `${shelf?.room} 2` })
      return (yield* tx.lock(shelves, 1))?.room
    })
    assert.deepStrictEqual(result, Result.succeed("hall 2"))
    assert.deepStrictEqual(asked, ["lock shelves 1"])
    assert.deepStrictEqual(writes, [{ table: "shelves", key: 1, row: { id: 1, room: "hall 2" }, before: first }])
  })

  it("when it finds a row and locks it then, then it sees the row as it is with the lock", () => {
    const { asked, source } = storeOf(first)
    run(source, function* (tx) {
      yield* tx.find(shelves, 1)
      yield* tx.lockShared(shelves, 1)
      yield* tx.lock(shelves, 1)
    })
    assert.deepStrictEqual(asked, ["find shelves 1", "lockShared shelves 1", "lock shelves 1"])
  })

  it("when it saves a row several times, then the row is written once, with the one that it replaces", () => {
    const { writes } = run(storeOf(first).source, function* (tx) {
      yield* tx.lock(shelves, 1)
      for (const room of ["attic", "cellar"]) tx.save(shelves, { id: 1, room })
    })
    assert.deepStrictEqual(writes, [{ table: "shelves", key: 1, row: { id: 1, room: "cellar" }, before: first }])
  })

  it("when it locks several rows, then each is locked once, in ascending key, and it gets those that there are", () => {
    const { asked, source } = storeOf(first, { id: 3, room: "attic" })
    const { result } = run(source, function* (tx) {
      return [...(yield* tx.lockAll(shelves, [3, 1, 2, 3])).keys()]
    })
    assert.deepStrictEqual(result, Result.succeed([1, 3]))
    assert.deepStrictEqual(asked, ["lock shelves 1", "lock shelves 2", "lock shelves 3"])
  })

  it("when its store locks several rows at once, then it asks for those that it has not locked yet, and for none again", () => {
    const third: Shelf = { id: 3, room: "attic" }
    const { asked, source } = storeOf(first)
    const atOnce: Array<unknown> = []
    const lockAll: Source["lockAll"] = (_, keys) => {
      atOnce.push(keys)
      return [third as never]
    }
    const { result, writes } = run({ ...source, lockAll }, function* (tx) {
      yield* tx.lock(shelves, 1)
      const found = [...(yield* tx.lockAll(shelves, [3, 1, 2])).keys()]
      tx.save(shelves, { ...third, room: "cellar" })
      return [found, yield* tx.lock(shelves, 2)]
    })
    assert.deepStrictEqual(result, Result.succeed([[1, 3], undefined]))
    assert.deepStrictEqual(atOnce, [[2, 3]])
    assert.deepStrictEqual(asked, ["lock shelves 1"])
    assert.deepStrictEqual(writes, [{ table: "shelves", key: 3, row: { id: 3, room: "cellar" }, before: third }])
  })

  it("when it locks several rows at once that it has written by the lock of their owner, then it gets them as written", () => {
    const one: Book = { title: "Emma", shelf: 1 }
    const other: Book = { title: "Ulysses", shelf: 1 }
    const { source } = storeOf(first, one, other)
    const lockAll: Source["lockAll"] = (_, keys) =>
      [one, other].filter(({ title }) => keys.includes(title as never)) as never
    const { result, writes } = run({ ...source, lockAll }, function* (tx) {
      yield* tx.lock(shelves, 1)
      yield* tx.all(onShelf, 1, 10)
      tx.save(books, { ...one, isLent: true })
      return [...(yield* tx.lockAll(books, [one.title, other.title])).values()]
    })
    assert.deepStrictEqual(result, Result.succeed([{ ...one, isLent: true }, other]))
    assert.lengthOf(writes, 1)
  })

  it("when what it has written since a mark is taken back, then it sees and writes what it had written before", () => {
    const other: Shelf = { id: 2, room: "attic" }
    const { source } = storeOf(first, other)
    const { result, writes } = run(source, function* (tx) {
      yield* tx.lock(shelves, 1)
      tx.save(shelves, { ...first, room: "cellar" })
      const undo = tx.mark()
      tx.save(shelves, { ...first, room: "part" })
      yield* tx.lock(shelves, 2)
      tx.save(shelves, { ...other, room: "part" })
      // Many, so that rows are looked up by their keys.
      yield* tx.insertAll(
        shelves,
        Array.from({ length: 20 }, (_, index) => () => ({ id: 10 + index, room: "part" }))
      )
      tx.append(notes, ["part"])
      const before = (yield* tx.lock(shelves, 29))?.room
      undo()
      const after = (yield* tx.lock(shelves, 29))?.room
      const rooms = [yield* tx.lock(shelves, 1), yield* tx.lock(shelves, 2), ...(yield* tx.all(inRoom, "part", 9))]
      return [before, after, rooms]
    })
    assert.deepStrictEqual(result, Result.succeed(["part", undefined, [{ id: 1, room: "cellar" }, other]]))
    assert.deepStrictEqual(writes, [{ table: "shelves", key: 1, row: { id: 1, room: "cellar" }, before: first }])
  })

  it("when one mark follows another, then each takes back what was written since, and what is kept may be changed again", () => {
    const other: Shelf = { id: 2, room: "attic" }
    const { result, writes } = run(storeOf(first, other).source, function* (tx) {
      const roomsOf = function* () {
        const rooms = [yield* tx.lock(shelves, 1), yield* tx.lock(shelves, 2), yield* tx.lock(shelves, 3)]
        return rooms.map((shelf) => shelf?.room)
      }
      yield* roomsOf()
      tx.save(shelves, { ...first, room: "before" })
      const undo = tx.mark()
      tx.save(shelves, { ...first, room: "outer" })
      tx.add(shelves, { id: 3, room: "outer" })
      const undoInner = tx.mark()
      tx.save(shelves, { ...first, room: "inner" })
      tx.remove(shelves, { ...first, room: "inner" })
      tx.save(shelves, { ...other, room: "inner" })
      tx.save(shelves, { id: 3, room: "inner" })
      undoInner()
      const outer = yield* roomsOf()
      tx.save(shelves, { ...other, room: "again" })
      tx.save(shelves, { id: 3, room: "again" })
      undo()
      const before = yield* roomsOf()
      tx.save(shelves, { ...other, room: "last" })
      return [outer, before]
    })
    assert.deepStrictEqual(
      result,
      Result.succeed([
        ["outer", "attic", "outer"],
        ["before", "attic", undefined]
      ])
    )
    assert.deepStrictEqual(writes, [
      { table: "shelves", key: 1, row: { id: 1, room: "before" }, before: first },
      { table: "shelves", key: 2, row: { id: 2, room: "last" }, before: other }
    ])
  })

  it("when it looks rows up by their keys and takes back what is new since a mark, then it finds no other row by a key", () => {
    const many = Array.from({ length: 20 }, (_, index): Shelf => ({ id: index + 1, room: "attic" }))
    const [old, other]: ReadonlyArray<Shelf> = [
      { id: 30, room: "cellar" },
      { id: 31, room: "kitchen" }
    ]
    const { source } = storeOf(...many, old as Shelf, other as Shelf)
    const { result } = run(source, function* (tx) {
      for (const { id } of many) yield* tx.lock(shelves, id)
      const undo = tx.mark()
      yield* tx.lock(shelves, 30)
      yield* tx.lock(shelves, 30)
      undo()
      yield* tx.lock(shelves, 31)
      return yield* tx.lock(shelves, 30)
    })
    assert.deepStrictEqual(result, Result.succeed(old))
  })

  for (const reading of ["find", "lockShared"] as const) {
    it(`when it saves a row after ${reading}, then it dies, since another may have changed the row`, () => {
      const { source } = storeOf(first)
      const command = function* (tx: Transaction): Command<void> {
        yield* tx[reading](shelves, 1)
        tx.save(shelves, first)
      }
      assert.throws(() => run(source, command), "A command writes row 1 of shelves, which it has not locked")
    })
  }

  it("when it removes a row, then it finds it no more, and queries do not select it", () => {
    const { result } = run(storeOf(first).source, function* (tx) {
      yield* tx.lock(shelves, 1)
      tx.save(shelves, { ...first, isGone: true })
      return [yield* tx.lock(shelves, 1), yield* tx.first(inRoom, "hall")]
    })
    assert.deepStrictEqual(result, Result.succeed([undefined, undefined]))
  })

  it("when it adds a row, then queries select it, and a row that left the room is not taken for the stored one", () => {
    const { result } = run(storeOf(first, { id: 2, room: "hall" }).source, function* (tx) {
      const added = yield* tx.insert(shelves, (id) => ({ id, room: "attic" }))
      yield* tx.lock(shelves, 1)
      tx.save(shelves, { ...first, room: "cellar" })
      return [added.id, (yield* tx.first(inRoom, "attic"))?.id, (yield* tx.first(inRoom, "hall"))?.id]
    })
    assert.deepStrictEqual(result, Result.succeed([3, 3, 2]))
  })

  it("when it fails, then nothing after the failure runs", () => {
    const seen: Array<string> = []
    const { result } = run(storeOf().source, function* (tx) {
      seen.push("before")
      if ((yield* tx.lock(shelves, 7)) === undefined) yield* fail("no shelf")
      seen.push("after")
    })
    assert.deepStrictEqual(result, Result.fail("no shelf"))
    assert.deepStrictEqual(seen, ["before"])
  })

  it("when a part of it has a result, then a success goes on with its value, and a failure ends the command", () => {
    const decide = (result: Result.Result<number, string>) =>
      run(storeOf().source, function* () {
        return (yield* orFail(result)) + 1
      }).result
    assert.deepStrictEqual(decide(Result.succeed(1)), Result.succeed(2))
    assert.deepStrictEqual(decide(Result.fail("full")), Result.fail("full"))
  })
})

describe("given rows that belong to another row", () => {
  const [emma, dune]: ReadonlyArray<Book> = [
    { title: "Emma", shelf: 1 },
    { title: "Dune", shelf: 1 }
  ]
  const all = [first, emma, dune].flatMap((row) => row ?? [])

  it("when a command has locked that one, then it saves, adds and removes them, and sees what it has written", () => {
    const { result, writes } = run(storeOf(...all).source, function* (tx) {
      yield* tx.lock(shelves, 1)
      const [last, other] = yield* tx.all(onShelf, 1, 5)
      if (last === undefined || other === undefined) return yield* fail("no books")
      tx.save(books, { ...last, isLent: true })
      tx.remove(books, other)
      tx.save(books, { title: "Ulysses", shelf: 1 })
      return [
        (yield* tx.all(onShelf, 1, 5)).map(({ title }) => title),
        (yield* tx.find(books, "Emma"))?.isLent,
        yield* tx.find(books, "Dune")
      ]
    })
    assert.deepStrictEqual(result, Result.succeed([["Ulysses", "Emma"], true, undefined]))
    assert.deepStrictEqual(writes, [
      { table: "books", key: "Emma", row: { ...emma, isLent: true }, before: emma },
      { remove: "books", key: "Dune", row: dune },
      { table: "books", key: "Ulysses", row: { title: "Ulysses", shelf: 1 }, before: undefined }
    ])
  })

  it("when it has not, or has locked another one, then it dies", () => {
    for (const shelf of [undefined, 2]) {
      const command = function* (tx: Transaction): Command<void> {
        if (shelf !== undefined) yield* tx.lock(shelves, shelf)
        tx.remove(books, { title: "Emma", shelf: 1 })
      }
      assert.throws(() => run(storeOf(...all).source, command), "A command writes row Emma of books")
    }
  })

  it("when it selects some of them, then it gets the first ones in the order of the query, with its own", () => {
    const { result } = run(storeOf(...all).source, function* (tx) {
      yield* tx.lock(shelves, 1)
      tx.save(books, { title: "Ulysses", shelf: 1 })
      tx.save(books, { title: "Dracula", shelf: 1 })
      return [(yield* tx.all(onShelf, 1, 2)).map(({ title }) => title), (yield* tx.first(onShelf, 1))?.title]
    })
    assert.deepStrictEqual(result, Result.succeed([["Ulysses", "Emma"], "Ulysses"]))
  })
})

describe("given rows of which several may be claimed", () => {
  it("when a command claims some, then it may save and remove them", () => {
    const second: Shelf = { id: 2, room: "hall" }
    const { result, writes } = run(storeOf(first, second).source, function* (tx) {
      const [one, other] = yield* tx.claim(inRoom, "hall", 2)
      if (one === undefined || other === undefined) return yield* fail("nothing there")
      tx.save(shelves, { ...one, room: "attic" })
      tx.remove(shelves, other)
      return (yield* tx.claim(inRoom, "hall", 2)).length
    })
    assert.deepStrictEqual(result, Result.succeed(0))
    assert.deepStrictEqual(writes, [
      { table: "shelves", key: 1, row: { id: 1, room: "attic" }, before: first },
      { remove: "shelves", key: second.id, row: second }
    ])
  })

  it("when it has changed some, then it claims those that are selected now, in order, and saves them once more", () => {
    const { result, writes } = run(
      storeOf(first, ...[2, 3].map((id) => ({ id, room: "attic" }))).source,
      function* (tx) {
        for (const [id, room] of [
          [3, "hall"],
          [1, "cellar"]
        ] as const) {
          yield* tx.lock(shelves, id)
          tx.save(shelves, { id, room })
        }
        const claimed = [...(yield* tx.claim(inRoom, "hall", 2)), ...(yield* tx.claim(inRoom, "attic", 1))]
        for (const { id } of claimed) tx.save(shelves, { id, room: "kitchen" })
        return claimed.map(({ id }) => id)
      }
    )
    assert.deepStrictEqual(result, Result.succeed([3, 2]))
    assert.deepStrictEqual(
      writes.map((write) => "row" in write && write.row),
      [
        { id: 3, room: "kitchen" },
        { id: 1, room: "cellar" },
        { id: 2, room: "kitchen" }
      ]
    )
  })

  it("when those that it has changed come first in the store, then it claims as many others as it asks for", () => {
    const { result } = run(storeOf(first, ...[2, 3, 4].map((id) => ({ id, room: "hall" }))).source, function* (tx) {
      for (const id of [1, 2]) {
        yield* tx.lock(shelves, id)
        tx.save(shelves, { id, room: "cellar" })
      }
      return (yield* tx.claim(inRoom, "hall", 2)).map(({ id }) => id)
    })
    assert.deepStrictEqual(result, Result.succeed([3, 4]))
  })

  it("when it counts them, then it counts what it has written, and not what it has changed or removed", () => {
    const rows = [first, ...[2, 3, 4].map((id) => ({ id, room: "hall" })), { id: 5, room: "attic" }]
    const { result } = run(storeOf(...rows).source, function* (tx) {
      yield* tx.lockAll(shelves, [1, 2, 3, 5])
      tx.save(shelves, { id: 1, room: "hall" })
      tx.save(shelves, { id: 2, room: "cellar" })
      tx.remove(shelves, { id: 3, room: "hall" })
      tx.save(shelves, { id: 5, room: "hall" })
      tx.add(shelves, { id: 6, room: "hall" })
      return [
        yield* tx.count(inRoom, "hall", 9),
        yield* tx.count(inRoom, "hall", 4),
        yield* tx.count(inRoom, "hall", 2)
      ]
    })
    assert.deepStrictEqual(result, Result.succeed([4, 4, 2]))
  })
})

describe("given a log", () => {
  it("when a command reads it, then it gets the rows behind a position, and the position of the last one", () => {
    const { result } = run(storeOf().source, function* (tx) {
      return [yield* tx.scan(notes, 1, 1), yield* tx.last(notes)]
    })
    assert.deepStrictEqual(result, Result.succeed([["b"], 3]))
  })
})
