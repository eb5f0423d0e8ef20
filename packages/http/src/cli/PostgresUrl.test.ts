import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { parsePostgresUrl, placeOf } from "./PostgresUrl.ts"

const place = (url: string, environment: Readonly<Record<string, string>> = {}) =>
  Option.getOrUndefined(Option.map(parsePostgresUrl(url), (database) => placeOf(database, environment)))

const accepted: Readonly<Record<string, string>> = {
  "postgres://db.example/shop": "db.example:5432, database shop",
  "postgresql://db.example:6543/shop": "db.example:6543, database shop",
  "postgres://petstore:secret@db.example/shop?sslmode=verify-full": "db.example:5432, database shop",
  "postgres://petstore:se@cret@db.example/shop": "db.example:5432, database shop",
  "postgres://one:5432,two:5433,three/shop": "one:5432, two:5433, three:5432, database shop",
  "postgres://[::1]:5433/shop": "[::1]:5433, database shop",
  "postgres://[::1]/shop": "[::1]:5432, database shop",
  "postgres://db.example/my%20shop": "db.example:5432, database my shop",
  "postgres://petstore@db.example": "db.example:5432, database petstore",
  "postgres:///shop?host=/var/run/postgresql": "/var/run/postgresql, database shop",
  "postgres://%2Fvar%2Frun%2Fpostgresql/shop": "/var/run/postgresql, database shop"
}

describe("the URL of a PostgreSQL database", () => {
  for (const [url, expected] of Object.entries(accepted)) {
    it(`given ${url}, then it is accepted, and the place shows no user and no password`, () => {
      assert.strictEqual(place(url), expected)
      assert.notInclude(String(Option.getOrThrow(parsePostgresUrl(url)).url), "secret")
    })
  }

  it("given no host and no database, then they are those of the variables that pg reads", () => {
    const environment = { PGHOST: "db.example", PGPORT: "6000", PGDATABASE: "shop" }
    assert.strictEqual(place("postgres://", environment), "db.example:6000, database shop")
    assert.strictEqual(place("postgres://", { PGUSER: "petstore" }), "localhost:5432, database petstore")
  })

  it("given a URL, then it is passed on as it is", () => {
    const url = "postgres://petstore:secret@one,two:5433/shop?application_name=web&prepare=maybe"
    assert.strictEqual(Redacted.value(Option.getOrThrow(parsePostgresUrl(url)).url), url)
  })

  for (const url of [
    "postgres:",
    "postgres:shop",
    "mysql://db.example/shop",
    "POSTGRES://db.example/shop",
    "postgres://db.example:0/shop",
    "postgres://db.example:65536/shop",
    "postgres://db.example:port/shop",
    "postgres://one,,two:99999/shop",
    "postgres://petstore:se/cret@db.example/shop",
    "postgres://db.example/shop/pets",
    "postgres://db.example/shop#pets",
    "postgres://db.example/%zz",
    "postgres://db.example/a b",
    "postgres://db.example/shop\n"
  ]) {
    it(`given ${JSON.stringify(url)}, then it is rejected`, () => {
      assert.isTrue(Option.isNone(parsePostgresUrl(url)))
    })
  }
})
