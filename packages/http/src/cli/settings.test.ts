import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { postgresOptions } from "../../../adapters/src/postgres/PostgresOptions.ts"
import { sqliteOptions } from "../../../adapters/src/sqlite/SqliteOptions.ts"
import { readSetting, type Setting } from "./Setting.ts"
import * as settings from "./settings.ts"

type Given = { readonly flag?: string; readonly environment?: Readonly<Record<string, string>> }

/** The value of a setting, or the error message. */
const reading = <A>(setting: Setting<A>, { environment = {}, flag }: Given): unknown =>
  readSetting(setting, Option.fromUndefinedOr(flag)).pipe(
    Effect.catch((error) => Effect.succeed(error.message)),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment })),
    Effect.runSync
  )

const valid = <A>(setting: Setting<A>, cases: Readonly<Record<string, unknown>>) => {
  for (const [text, value] of Object.entries(cases)) {
    it(`given ${JSON.stringify(text)}, then it is accepted`, () => {
      assert.deepStrictEqual(reading(setting, { flag: text }), value)
    })
  }
}

const invalid = <A>(setting: Setting<A>, texts: ReadonlyArray<string>) => {
  for (const text of texts) {
    it(`given ${JSON.stringify(text)}, then it is rejected in one line that shows what is expected`, () => {
      const message = String(reading(setting, { flag: text }))
      assert.isTrue(message.startsWith(`--${setting.flag} takes ${setting.expected}, not `), message)
      assert.notMatch(message, /[\r\n]/)
    })
  }
}

describe("--mount-path", () => {
  valid(settings.mountPath, { "/": "", "/petstore": "/petstore", "/a/b": "/a/b" })
  invalid(settings.mountPath, ["petstore", "/petstore/", "/a b"])
})

describe("--cors", () => {
  valid(settings.cors, {
    none: undefined,
    "*": { origins: "*" },
    "https://shop.example,http://localhost:3000": { origins: ["https://shop.example", "http://localhost:3000"] }
  })
  invalid(settings.cors, [
    "https://shop.example/",
    "https://*.shop.example",
    "null",
    "shop.example",
    "https://a.example, https://b.example",
    "*,null"
  ])
})

describe("--trust-proxy", () => {
  valid(settings.trustProxy, { 0: 0, 2: 2 })
  invalid(settings.trustProxy, ["-1", "yes", "101"])
})

describe("--access-log", () => {
  valid(settings.accessLog, { on: true, off: false })
  invalid(settings.accessLog, ["true", "ON"])
})

describe("where a setting comes from", () => {
  it("given neither flag nor variable, then it is the default", () => {
    assert.strictEqual(reading(settings.port, {}), 8080)
  })

  it("given a variable, then it is that", () => {
    assert.strictEqual(reading(settings.port, { environment: { PORT: "9000" } }), 9000)
  })

  it("given a flag and a variable, then it is the flag", () => {
    assert.strictEqual(reading(settings.port, { flag: "9001", environment: { PORT: "9000" } }), 9001)
  })

  it("given a flag and a bad variable, then the variable does not matter", () => {
    assert.strictEqual(reading(settings.port, { flag: "9001", environment: { PORT: "x" } }), 9001)
  })

  it("given an empty variable, then it is the default", () => {
    assert.strictEqual(reading(settings.port, { environment: { PORT: "" } }), 8080)
  })

  it("given an empty flag, then it is rejected", () => {
    assert.strictEqual(reading(settings.port, { flag: "" }), '--port takes a port from 0 to 65535, not ""')
  })

  it("given a bad variable, then the message names the variable", () => {
    assert.strictEqual(
      reading(settings.rateLimit, { environment: { PETSTORE_RATE_LIMIT: "0" } }),
      'PETSTORE_RATE_LIMIT takes a whole number from 1 to 1000000000, or off, not "0"'
    )
  })

  for (const setting of [settings.port, settings.host, settings.basePath, settings.rateLimit, settings.storage]) {
    it(`given nothing, then --${setting.flag} has a valid default`, () => {
      assert.notTypeOf(Option.getOrUndefined<unknown>(setting.parse(setting.default)), "undefined")
    })
  }
})

describe("--metrics", () => {
  const loopback = { host: "127.0.0.1", port: 9464 }
  valid(settings.metrics, {
    off: "off",
    on: "on",
    "9464": loopback,
    "0.0.0.0:9464": { host: "0.0.0.0", port: 9464 },
    "[::1]:9464": { host: "::1", port: 9464 },
    "metrics.internal:80": { host: "metrics.internal", port: 80 }
  })
  invalid(settings.metrics, ["", "yes", ":9464", "65536", "::1:9464", "http://127.0.0.1:9464", "9464 "])
})

describe("--otlp", () => {
  valid(settings.otlp, {
    off: undefined,
    "http://127.0.0.1:4318": "http://127.0.0.1:4318",
    "https://otlp.example/collect": "https://otlp.example/collect"
  })
  invalid(settings.otlp, ["", "127.0.0.1:4318", "grpc://127.0.0.1", "http://user@collector", "http://:pass@collector"])
})

describe("--log-format", () => {
  valid(settings.logFormat, { auto: "auto", pretty: "pretty", logfmt: "logfmt", json: "json" })
  invalid(settings.logFormat, ["", "JSON", "text"])
})

describe("--port", () => {
  valid(settings.port, { "0": 0, "80": 80, "65535": 65_535 })
  invalid(settings.port, [
    "-1",
    "65536",
    "80.5",
    "1e3",
    "0x50",
    "+80",
    " 80",
    "80 ",
    "eighty",
    "٨٠",
    "99999999999999999999"
  ])
})

describe("--host", () => {
  valid(settings.host, {
    "127.0.0.1": "127.0.0.1",
    "0.0.0.0": "0.0.0.0",
    "::": "::",
    "fe80::1": "fe80::1",
    localhost: "localhost",
    "pets.example.org": "pets.example.org"
  })
  invalid(settings.host, [
    "256.1.1.1",
    "1.2.3",
    "a b",
    "http://localhost",
    "localhost:80",
    "-a",
    "a..b",
    "a".repeat(300),
    ":::"
  ])
})

describe("--base-path", () => {
  valid(settings.basePath, { "/v1": "/v1", "/shop/v1": "/shop/v1", "/": "" })
  invalid(settings.basePath, [
    "v1",
    "/v1/",
    "//",
    "/v1//x",
    "/a b",
    "/v1?x",
    "/v1#x",
    "/%2e",
    "/..",
    "/a/../b",
    "/é",
    "http://a/v1"
  ])
})

describe("--rate-limit", () => {
  valid(settings.rateLimit, { off: "off", "1": 1, "1000000000": 1_000_000_000 })
  invalid(settings.rateLimit, ["0", "-5", "OFF", "on", "1.5", "1000000001", "60/s"])
})

describe("--storage", () => {
  valid(settings.storage, {
    "memory:": { kind: "memory" },
    "sqlite:./petstore.db": { kind: "sqlite", file: "./petstore.db" },
    "sqlite:/var/lib/pets.db": { kind: "sqlite", file: "/var/lib/pets.db" },
    "sqlite:a b.db": { kind: "sqlite", file: "a b.db" }
  })
  invalid(settings.storage, [
    "petstore.db",
    "sqlite:",
    "sqlite::memory:",
    "sqlite://localhost/pets.db",
    "memory",
    "memory:x",
    "mysql://localhost/pets",
    "SQLITE:pets.db",
    "sqlite:pets\u0000.db"
  ])

  it("given a URL with a password, then the password is not repeated", () => {
    const message = reading(settings.storage, { flag: "mysql://root:hunter2@db/pets" })
    assert.strictEqual(
      message,
      '--storage takes sqlite:FILE, postgres://USER@HOST/DATABASE or memory:, not "mysql://...@db/pets"'
    )
  })

  for (const url of [
    "postgres://petstore:hunter2@db:port/pets",
    "postgres://petstore:hun/ter2@db/pets",
    "postgres://petstore:hun@ter2@db:0/pets",
    "postgres://db:0/pets?sslmode=require&password=hunter2",
    "postgres://db:0/pets?sslpassword=hunter2&x=1",
    "postgrs://db/pets?password=hun&ter2",
    "host=db password='hun ter2'",
    "host=db password = hunter2"
  ]) {
    it(`given ${url}, then no part of its password is repeated`, () => {
      const message = String(reading(settings.storage, { flag: url }))
      assert.include(message, "not ")
      assert.notInclude(message, "ter2")
      assert.notInclude(message, "hun")
    })
  }

  it("given a PostgreSQL URL, then it is accepted and hidden", () => {
    const found = reading(settings.storage, { flag: "postgres://petstore:hunter2@db/pets" })
    assert.deepInclude(found, { kind: "postgres" })
    assert.notInclude(JSON.stringify(found), "hunter2")
  })

  it("given memory: for a subcommand other than serve, then it is rejected", () => {
    assert.strictEqual(
      reading(settings.database, { environment: { PETSTORE_STORAGE: "memory:" } }),
      'PETSTORE_STORAGE takes sqlite:FILE or postgres://USER@HOST/DATABASE (only serve takes memory:), not "memory:"'
    )
  })
})

describe("--table-prefix", () => {
  valid(settings.tablePrefix, { petstore_: "petstore_", shop_: "shop_", a1: "a1", sqlite: "sqlite" })
  invalid(settings.tablePrefix, ["Shop_", "1_", "_", "shop-", "sqlite_shop_", "a b", "a".repeat(31)])
})

describe("--schema", () => {
  valid(settings.schema, { petstore: "petstore", shop_1: "shop_1", _a: "_a" })
  invalid(settings.schema, ["Shop", "1shop", "shop-1", "pg_shop", "a b", 'a"b', "a".repeat(64)])
})

describe("--startup-timeout", () => {
  valid(settings.startupTimeout, { "0": 0, "60": 60 })
  invalid(settings.startupTimeout, ["-1", "1m", "86401"])
})

describe("PETSTORE_ADMIN_KEY", () => {
  const given = (key: string) => reading(settings.adminKey, { environment: { PETSTORE_ADMIN_KEY: key } })

  it("given 20 characters that a bearer token may have, then it is accepted and hidden", () => {
    const key = given("aZ09-._~+/0123456789==")
    assert.isTrue(Redacted.isRedacted(key))
    assert.notInclude(String(key), "aZ09")
  })

  for (const [name, key] of Object.entries({
    "nineteen characters": "a".repeat(19),
    "a blank": "secret secret secret secret",
    "an = in the middle": "secret=secretsecretsecret",
    "a letter outside of ASCII": "geheimgeheimgeheimgeheimä",
    "a line feed at its end": `${"a".repeat(30)}\n`
  })) {
    it(`given ${name}, then it is rejected and not repeated`, () => {
      const message = String(given(key))
      assert.strictEqual(message, `PETSTORE_ADMIN_KEY takes ${settings.adminKey.expected}`)
    })
  }

  it("given none, then there is none", () => {
    assert.isUndefined(reading(settings.adminKey, {}))
  })
})

describe("how long events are kept", () => {
  valid(settings.keepEvents, { forever: "forever", "90 days": Duration.days(90), "1 hour": Duration.hours(1) })
  invalid(settings.keepEvents, ["90", "days", "-1 days", "1.5 days", "90 days ago", "infinity"])
  for (const setting of [
    settings.keepUndelivered,
    settings.keepMessages,
    settings.keepDeliveries,
    settings.reserveFor
  ]) {
    valid(setting, { forever: "forever", "30 days": Duration.days(30) })
    invalid(setting, ["30", "-1 days", "never"])
  }
})

describe("how many events are kept", () => {
  valid(settings.keepEventCount, { all: "all", "1": 1, "1000000000": 1_000_000_000 })
  invalid(settings.keepEventCount, ["0", "-1", "1e3", "1000000001", "none"])
})

describe("the private addresses that webhooks may go to", () => {
  valid(settings.webhookAddresses, {
    none: [],
    "127.0.0.1": ["127.0.0.1"],
    "127.0.0.0/8,::1,fd00::/8": ["127.0.0.0/8", "::1", "fd00::/8"]
  })
  invalid(settings.webhookAddresses, ["", "localhost", "10.0.0.0/33", "10.0.0.0/8,", "10.0.0.0/8, ::1", "all"])
})

describe("how many streams may be open", () => {
  valid(settings.streamLimit, { "0": 0, "1024": 1024, "1000000": 1_000_000 })
  invalid(settings.streamLimit, ["", "-1", "1.5", "off", "1000001"])
})

describe("how many streams one key may have open", () => {
  valid(settings.streamsPerKey, { "0": 0, "100": 100, "1000000": 1_000_000 })
  invalid(settings.streamsPerKey, ["", "-1", "1.5", "off", "1000001"])
})

describe("what one customer may hold", () => {
  valid(settings.customerOrders, { off: "off", "0": 0, "100": 100, "1000": 1_000 })
  invalid(settings.customerOrders, ["", "-1", "1.5", "1001"])
  valid(settings.customerUnits, { "0": 0, "10000": 10_000 })
  invalid(settings.customerUnits, ["", "-1", "off"])
  valid(settings.customerDrafts, { "0": 0, "100": 100, "1000": 1_000 })
  invalid(settings.customerDrafts, ["", "off", "1001"])
})

describe("the timeouts of PostgreSQL", () => {
  for (const setting of [
    settings.lockTimeout,
    settings.statementTimeout,
    settings.storageTimeout,
    settings.connectTimeout
  ]) {
    valid(setting, {
      "500 millis": Duration.millis(500),
      "1 second": Duration.seconds(1),
      "2 minutes": Duration.minutes(2)
    })
    invalid(setting, ["", "5", "0 seconds", "-1 seconds", "1 day", "infinity"])
  }
})

describe("the groups of transactions on PostgreSQL", () => {
  valid(settings.groups, { "0": 0, "1": 1, "100": 100 })
  invalid(settings.groups, ["", "-1", "101", "one"])
})

describe("the replica of PostgreSQL", () => {
  it("given a URL, then it is that, and is not shown", () => {
    const replica = reading(settings.replica, { flag: "postgres://shop:secret@standby/shop" })
    assert.isTrue(Redacted.isRedacted(replica) && Redacted.value(replica) === "postgres://shop:secret@standby/shop")
    assert.notInclude(String(replica), "secret")
  })
  valid(settings.replica, { none: undefined })
  invalid(settings.replica, ["", "sqlite:pets.db", "standby"])
})

describe("the URL of a remote petstore", () => {
  valid(settings.remoteUrl, { none: undefined, "https://pets.example/v1": "https://pets.example/v1" })
  invalid(settings.remoteUrl, [
    "",
    "pets.example",
    "ftp://pets.example/",
    "https://u@pets.example/v1",
    "http://a/v1?b=c"
  ])
})

describe("the settings of an adapter, which is loaded when it is used", () => {
  const { connectTimeout, groups, lockTimeout, schema, statementTimeout, timeout } = postgresOptions
  for (const [setting, option] of [
    [settings.connectTimeout, connectTimeout],
    [settings.groups, groups],
    [settings.lockTimeout, lockTimeout],
    [settings.schema, schema],
    [settings.statementTimeout, statementTimeout],
    [settings.storageTimeout, timeout],
    [settings.tablePrefix, sqliteOptions.tablePrefix]
  ] as const) {
    it(`given nothing, then --${setting.flag} is the default of the option of the adapter`, () => {
      assert.strictEqual(setting.default, String(option.default))
    })
  }
})
