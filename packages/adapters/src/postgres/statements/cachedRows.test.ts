import { assert, describe, it } from "@effect/vitest"
import type { Rows } from "@petstore/core/ports"
import { type ApiKeyRecord, apiKeys } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { cachedRows } from "./cachedRows.ts"

const recordOf = (id: number, name = "shop"): ApiKeyRecord => ({
  key: { id, accountId: 1, name, scopes: ["pets:read"], createdAt: "2026-01-01T00:00:00.000Z" },
  digest: Uint8Array.of(1, 2, 3),
  revoked: false
})

/** Keys of a server that other processes change too, and the reads that reached it. */
const keysOnServer = () => {
  let time = 1_000
  const stored = new Map([[1, recordOf(1)]])
  const reads: Array<number> = []
  const unused = () => Effect.die("unused")
  const events = { latest: unused(), scan: unused, find: unused }
  const rows: Rows = {
    find: (table, key) =>
      Effect.sync(() => {
        reads.push(Number(key))
        return [...stored.values()].map((row) => row as never).find((row) => table.keyOf(row) === key)
      }),
    findAll: unused,
    scan: unused,
    select: unused,
    count: unused,
    events
  }
  const { onWrite, rows: keys } = cachedRows(rows, () => time)
  const findCached = (id: number) => keys.findCached?.(apiKeys, id) ?? Effect.die("It has no cache")
  const find = (id: number) => Effect.runSync(findCached(id))
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  return { onWrite, find, findCached, pass, stored, reads }
}

describe("the cache of API keys", () => {
  it("given requests within half a second, then the key is read once", () => {
    const { find, pass, reads } = keysOnServer()
    assert.deepStrictEqual(find(1), recordOf(1))
    pass(499)
    assert.deepStrictEqual(find(1), recordOf(1))
    assert.deepStrictEqual(reads, [1])
  })

  it("given requests within half a second, then they share one frozen row", () => {
    const { find } = keysOnServer()
    find(1)
    const row = find(1)
    assert.isTrue(row !== undefined && Object.isFrozen(row) && Object.isFrozen(row.key))
    assert.strictEqual(find(1), row)
    assert.throws(() => Object.assign(row?.key ?? {}, { name: "another" }), TypeError)
  })

  it("given a key that another server revokes, then it is found for half a second at most", () => {
    const { find, pass, stored } = keysOnServer()
    find(1)
    stored.delete(1)
    pass(499)
    assert.isDefined(find(1))
    pass(1)
    assert.isUndefined(find(1))
    assert.isUndefined(find(1))
  })

  it("given a read that takes long, then the age of the key counts from its beginning", () => {
    const { find, findCached, pass, reads } = keysOnServer()
    const reading = findCached(1)
    Effect.runSync(Effect.tap(reading, () => Effect.sync(() => pass(400))))
    pass(100)
    find(1)
    assert.deepStrictEqual(reads, [1, 1])
  })

  it("given a key that does not exist, then it is found as soon as it does", () => {
    const { find, stored } = keysOnServer()
    assert.isUndefined(find(2))
    stored.set(2, recordOf(2))
    assert.deepStrictEqual(find(2), recordOf(2))
  })

  it("given a key that this store writes, then it is read each time until its transaction has surely ended", () => {
    const { find, onWrite, pass, reads, stored } = keysOnServer()
    find(1)
    onWrite([{ table: apiKeys.name, key: 1, row: recordOf(1, "renamed"), before: recordOf(1) }])
    stored.set(1, recordOf(1, "renamed"))
    assert.strictEqual(find(1)?.key.name, "renamed")
    stored.delete(1)
    assert.isUndefined(find(1))
    pass(60_000)
    find(1)
    assert.isAbove(reads.length, 2)
  })

  it("given more keys than it holds, then it starts again", () => {
    const { find, reads, stored } = keysOnServer()
    for (let id = 1; id <= 1_001; id++) stored.set(id, recordOf(id))
    for (let id = 1; id <= 1_001; id++) find(id)
    find(1_001)
    assert.lengthOf(reads, 1_001)
    find(1)
    assert.lengthOf(reads, 1_002)
  })
})
