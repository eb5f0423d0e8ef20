import { assert, describe, it } from "@effect/vitest"
import { createPetstore, memory } from "@petstore/core"
import { createHandler, type HandlerOptions, makeHandler, serve } from "@petstore/http"
import { webhookSender } from "@petstore/http/webhooks"
import { testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { checkMakeHandlerOptions, checkServeOptions } from "./options.ts"

const untyped = (value: unknown): never => value as never

describe("given a handler", () => {
  it("when it is called with something else than requests, then an error says what it takes", async () => {
    await using petstore = await createPetstore()
    const handler = createHandler(petstore)
    for (const [request, response] of [[], [{}, () => {}]] as const) {
      assert.throws(
        () => handler.node(untyped(request), untyped(response)),
        /^handler.node takes a request and a response/
      )
    }
    for (const request of [undefined, {}, 7]) {
      const error = await handler.fetch(untyped(request)).then(String, String)
      assert.match(error, /^TypeError: handler.fetch takes a Request, such as new Request\(.*\), not /)
    }
  })
})

type Callable = (...args: ReadonlyArray<unknown>) => unknown
const callable = (method: unknown): Callable => method as Callable

describe("given options behind the last argument of a function", () => {
  it("then a TypeError says where they belong", async () => {
    await using petstore = await createPetstore()
    const calls: Readonly<Record<string, () => unknown>> = {
      "createHandler takes two arguments": () => callable(createHandler)(petstore, {}, { cors: {} }),
      "webhookSender takes one argument": () => callable(webhookSender)({}, { allowLoopback: true }),
      "memory takes no options": () => callable(memory)({ storage: "petstore.db" }),
      'memory takes no options, and ignored "petstore.db"': () => callable(memory)("petstore.db")
    }
    for (const [message, call] of Object.entries(calls)) assert.throws(call, message)
    for (const open of [createPetstore, testPetstore]) {
      const refusal = await (async () => callable(open)({}, { retention: {} }))().then(String, String)
      assert.include(refusal, `${open.name} takes one argument, and ignored an object. Write ${open.name}({ storage })`)
    }
    // As array.map and Array.from call it.
    assert.lengthOf(Array.from({ length: 2 }, memory), 2)
  })
})

describe("given options that createHandler does not know", () => {
  const refusals: ReadonlyArray<readonly [unknown, RegExp]> = [
    [null, /createHandler takes an object of options/],
    ["/petstore", /createHandler takes an object of options/],
    [
      { mountpath: "/petstore" },
      /createHandler does not know the option mountpath; did you mean mountPath\? It takes basePath, mountPath, /
    ],
    [{ port: 80, host: "localhost" }, /does not know the option port, host; /],
    [{ adminKey: 12345 }, /adminKey takes a string, or Redacted\.make\(key\) of effect/],
    [{ adminKey: "too-short" }, /adminKey must be 20 or more letters/],
    [{ authenticate: "session" }, /authenticate takes a function/],
    [{ bodyLimit: "1mb" }, /bodyLimit takes a whole number of bytes/],
    [{ waitingLimit: -1 }, /waitingLimit takes a whole number of requests/],
    [{ cors: true }, /The option cors takes an object of options, such as \{ origins: \["https.*not true$/],
    [{ cors: "*" }, /The option cors takes an object of options, .* not "\*"$/],
    [
      { cors: {} },
      /The option origins takes "\*", or a list of origins such as \["https:\/\/shop.example"\], not undefined/
    ],
    [{ cors: { origin: "*" } }, /The option cors does not know the option origin; did you mean origins\?/],
    [{ cors: { origins: "shop.example" } }, /The option origins takes .* not "shop.example"$/],
    [{ cors: { origins: [7] } }, /The option origins takes .* not an array$/],
    [
      { cors: { origins: "*", credentials: true } },
      /cors takes credentials only with a list of origins, not with "\*"/
    ],
    ...[
      [
        "https://shop.example/",
        /"https:\/\/shop\.example\/": browsers send https:\/\/shop\.example, without the slash/
      ],
      ["ftp://shop.example", /"ftp:\/\/shop\.example": no page has an address with ftp:$/],
      ["wss://shop.example", /no page has an address with wss:$/],
      ["https://shop.example/path", /browsers send https:\/\/shop\.example$/],
      ["https://Shop.example", /browsers send https:\/\/shop\.example$/],
      ["https://shop.example:443", /browsers send https:\/\/shop\.example$/],
      ["https://ada@shop.example", /browsers send https:\/\/shop\.example$/],
      ["https://bücher.example", /browsers send https:\/\/xn--bcher-kva\.example$/],
      ["capacitor://localhost/", /browsers send capacitor:\/\/localhost, without the slash/],
      ...["null", "*", "https://*.", "*.example.com", "https://*.example.com", "https://shop.example:*"].map(
        (origin) => [origin, origin === "null" ? /sandboxed/ : /there are no wildcards/] as const
      ),
      ...["", "shop.example", "localhost:3000", "//shop.example", "https://", "file:///", "https://shop.example "].map(
        (origin) => [origin, origin.endsWith(" ") ? /browsers send/ : /not a scheme and a host/] as const
      )
    ].map(([origin, message]) => [{ cors: { origins: ["https://a.example", origin] } }, message] as [unknown, RegExp]),
    [{ serveAfterSunset: "no" }, /serveAfterSunset takes true or false/],
    [{ requestTimeout: "soon" }, /requestTimeout takes a duration, such as "30 seconds"/],
    [{ drainTimeout: -1 }, /drainTimeout takes a duration/],
    [{ drainTimeout: Number.NaN }, /drainTimeout takes a duration/],
    [{ basePath: "", mountPath: "/store" }, /mountPath \/store makes \/store\/pets\/batch ambiguous/],
    [{ rateLimit: "1000" }, /rateLimit must be a whole number of requests per minute, or "off", not "1000"$/],
    [{ requestTimeout: Promise.resolve(5) }, /requestTimeout takes a duration, .* not a promise: await it$/],
    [{ mountPath: "petstore" }, /mountPath must be "" or begin with a slash .* not "petstore"$/],
    [{ basePath: "/v1/" }, /basePath must be "" or begin with a slash .* not "\/v1\/"$/],
    [{ basePath: "v1" }, /basePath must be "" or begin with a slash/],
    [{ mountPath: "/a b" }, /mountPath must be "" or begin with a slash/],
    ...[0, 1.5].map((rateLimit): [unknown, RegExp] => [{ rateLimit }, /rateLimit must be a whole number/]),
    ...["", "with a blank, 0123456789", Redacted.make("too-short")].map((adminKey): [unknown, RegExp] => [
      { adminKey },
      /adminKey must be 20 or more/
    ])
  ]
  for (const [options, message] of refusals) {
    it(`when ${JSON.stringify(options)} is given, then a TypeError names the option and what it takes`, async () => {
      await using petstore = await createPetstore()
      assert.throws(() => createHandler(petstore, untyped(options)), TypeError, message)
    })
  }

  it("when they are passed to makeHandler or serve, then a TypeError names that function", () => {
    assert.throws(() => checkMakeHandlerOptions({ port: 80 }), /^makeHandler does not know/)
    assert.throws(
      () => checkServeOptions({ prot: 80 }),
      /^serve does not know the option prot; .*, host, port, metricsServer, connectionLimit, idleGrace$/
    )
    for (const [options, message] of [
      [{ port: "eighty" }, /option port takes a port from 0 to 65535, not "eighty"$/],
      [{ port: 70_000 }, /option port takes a port from 0 to 65535, not 70000$/],
      [{ port: -1 }, /option port takes .* not -1$/],
      [{ host: 5 }, /option host takes an IP address or a hostname, without a scheme or port, not 5$/],
      [{ host: "http://127.0.0.1" }, /option host takes an IP address or a hostname/],
      [{ metricsServer: 9464 }, /option metricsServer takes an object of options, such as \{ port: 9464 \}, not 9464$/],
      [{ metricsServer: { prot: 9464 } }, /option metricsServer does not know the option prot; did you mean port\?/],
      [{ metricsServer: {} }, /option port takes a port from 0 to 65535, not undefined$/],
      [8080, /serve takes an object of options, .* not 8080$/]
    ] as const) {
      assert.throws(() => checkServeOptions(untyped(options)), TypeError, message)
    }
    checkServeOptions({ port: "8080", host: "::1", metricsServer: { port: 0 } })
    for (const effect of [makeHandler(untyped({ port: 80 })), serve(untyped({ prot: 80 }))]) {
      assert.include(String(Effect.runSyncExit(untyped(effect))), "does not know the option")
    }
  })
})

describe("given options that createHandler knows", () => {
  it("when they are undefined, then they count as absent", async () => {
    await using petstore = await createPetstore()
    const names = [
      ...["basePath", "mountPath", "adminKey", "rateLimit", "bodyLimit", "waitingLimit", "requestTimeout"],
      ...["drainTimeout", "serveAfterSunset", "cors", "accessLog", "trustProxy"]
    ]
    const options = {
      ...Object.fromEntries(names.map((name) => [name, undefined])),
      authenticate: () => ({ actor: "user:7", scopes: ["messages:write"] })
    }
    const handler = createHandler(petstore, untyped(options))
    const send = (message: string) =>
      handler.fetch(
        new Request("http://localhost/v1/messages", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ message })
        })
      )
    assert.strictEqual((await send("Hello")).status, 202)
    assert.strictEqual((await send("x".repeat(300_000))).status, 413)
  })

  it("then all are accepted", async () => {
    const options: Required<Omit<HandlerOptions, "authenticate">> = {
      basePath: "/v1",
      mountPath: "/petstore",
      adminKey: Redacted.make("test-admin-key-0123456789"),
      rateLimit: "off",
      bodyLimit: 1,
      waitingLimit: 1,
      streamLimit: 10,
      streamsPerKey: 5,
      requestTimeout: "1 second",
      drainTimeout: "1 second",
      serveAfterSunset: true,
      compression: false,
      metrics: true,
      console: true,
      cors: { origins: ["https://shop.example"] },
      accessLog: () => {},
      trustProxy: 1
    }
    await using petstore = await createPetstore()
    assert.isFunction(createHandler(petstore, options).fetch)
    assert.isFunction(createHandler(petstore, { authenticate: () => undefined }).fetch)
    assert.isFunction(
      createHandler(petstore, { cors: { origins: ["capacitor://localhost", "http://[::1]:3000"] } }).fetch
    )
    assert.isFunction(createHandler(petstore, { basePath: "", mountPath: "/petstore" }).fetch)
  })
})
