import { StorageUnavailable } from "@petstore/core/domain"
import pg from "pg"
import { describe, expect, it } from "vitest"
import type { PostgresPool } from "./driver.ts"
import { poolSource } from "./poolSource.ts"

describe("a pool of the host application", () => {
  it("says what to do if it has ended", async () => {
    const pool = new pg.Pool()
    await pool.end()
    const connecting = poolSource(pool as PostgresPool, 5_000, undefined, 30_000).connect()
    await expect(connecting).rejects.toBeInstanceOf(StorageUnavailable)
    await expect(connecting).rejects.toThrow("Close the petstore before you end its pool.")
  })
})
