import { inspect } from "node:util"
import { assert, describe, it, vi } from "@effect/vitest"
import { InsufficientScope, InvalidApiKey, type PetstoreApi } from "@petstore/core"
import { type ApiKeySource, type ClientOptions, createClient } from "@petstore/http/client"
import { aPet } from "@petstore/testing"
import * as Redacted from "effect/Redacted"
import { done, json, type Reply, refusal, type Script, script, silence } from "../../test/support/scriptedFetch.ts"
import type { OperationId } from "../api/operations.ts"
import { operations } from "../api/operations.ts"

const baseUrl = "http://pets.example/v1"
const pet = aPet({ id: 7 })
const inventory = { petId: 7, quantity: 3, status: "available" as const }
const found = json(200, pet, { ETag: '"p2"' })

interface Scripted {
  readonly petstore: PetstoreApi
  readonly sent: Script["sent"]
}

const scripted = (replies: ReadonlyArray<Reply>, options: Partial<ClientOptions> = {}): Scripted => {
  const { fetch, sent } = script(replies)
  return { petstore: createClient({ baseUrl, key: "psk_1", retries: 0, fetch, ...options }), sent }
}

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("Expected a rejection"),
    (error: unknown) => error
  )

const untyped = (value: unknown): never => value as never

describe("given options of a client that cannot be meant", () => {
  const refusals: ReadonlyArray<readonly [unknown, RegExp]> = [
    [null, /takes an object of options/],
    [baseUrl, /takes an object of options/],
    [{ baseUrl, key: "k", url: baseUrl }, /does not know the option url; it takes baseUrl, key/],
    [{ key: "k" }, /baseUrl takes an absolute http or https URL/],
    [{ baseUrl: "/v1", key: "k" }, /baseUrl takes/],
    [{ baseUrl: "ftp://pets.example", key: "k" }, /baseUrl takes/],
    [{ baseUrl: "http://user:secret@pets.example", key: "k" }, /baseUrl takes/],
    [{ baseUrl: "http://pets.example/v1?tenant=1", key: "k" }, /baseUrl takes/],
    [{ baseUrl: "http://pets.example/v1#top", key: "k" }, /baseUrl takes/],
    [{ baseUrl, credentials: "always" }, /credentials takes one of "omit", "same-origin" and "include"/],
    [{ baseUrl, key: 7 }, /key takes an API key/],
    [{ baseUrl, key: "k", retries: -1 }, /retries takes a whole number/],
    [{ baseUrl, key: "k", retries: 1.5 }, /retries takes a whole number/],
    [{ baseUrl, key: "k", timeout: "soon" }, /timeout takes a duration, such as "30 seconds"/],
    [{ baseUrl, key: "k", maxDelay: -1 }, /maxDelay takes a duration/]
  ]
  for (const [options, message] of refusals) {
    it(`when it is created with ${JSON.stringify(options)}, then it says what it takes`, () => {
      assert.throws(() => createClient(untyped(options)), message)
    })
  }
})

describe("given a transaction of this process", () => {
  it("when a call has it, or an option that does not exist, then the error says what to do, and nothing is sent", async () => {
    const { petstore, sent } = scripted([found])
    const options = untyped({ transaction: {} })
    for (const call of [petstore.orders.place({}, options), petstore.pets.get(7, options)]) {
      const error = await rejection(call)
      assert.instanceOf(error, TypeError)
      assert.match(String(error), /cannot join a transaction of this process/)
    }
    const typo = await rejection(petstore.orders.place({}, untyped({ idempotencykey: "once" })))
    assert.match(
      String(typo),
      /TypeError: .* option idempotencykey; did you mean idempotencyKey\? It takes signal, idempotencyKey, reserveFor$/
    )
    assert.deepStrictEqual(sent, [])
    assert.strictEqual((await petstore.pets.get(7, untyped({ transaction: undefined }))).name, "Rex")
  })
})

describe("given a base URL", () => {
  it("when it ends with slashes, or is a URL, or the root, then paths follow it with one slash", async () => {
    const paths: ReadonlyArray<readonly [string | URL, string]> = [
      ["http://pets.example/v1/", "/v1/pets/7"],
      ["http://pets.example/mount/v1///", "/mount/v1/pets/7"],
      [new URL("http://pets.example/v1"), "/v1/pets/7"],
      ["http://pets.example", "/pets/7"]
    ]
    for (const [url, path] of paths) {
      const { petstore, sent } = scripted([found], { baseUrl: url })
      await petstore.pets.get(7)
      assert.strictEqual(sent[0]?.path, path)
    }
  })

  it("when it is a path, then in a web page it is one of the page's site, and no other origin", async () => {
    vi.stubGlobal("location", new URL("https://shop.example/pets?page=2"))
    try {
      const urls: Array<string> = []
      const fetch: ClientOptions["fetch"] = (url) => {
        urls.push(url)
        return Promise.resolve(Response.json(pet, { headers: { ETag: '"p2"' } }))
      }
      await createClient({ baseUrl: "/petstore/v1", fetch }).pets.get(7)
      assert.deepStrictEqual(urls, ["https://shop.example/petstore/v1/pets/7"])
      assert.throws(() => createClient({ baseUrl: "petstore/v1", fetch }), /baseUrl takes/)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe("given no API key", () => {
  const initOf = async (options: Partial<ClientOptions>): Promise<RequestInit> => {
    let sent: RequestInit = {}
    const fetch: ClientOptions["fetch"] = (_, init) => {
      sent = init
      return Promise.resolve(Response.json(pet, { headers: { ETag: '"p2"' } }))
    }
    await createClient({ baseUrl, fetch, ...options }).pets.get(7)
    return sent
  }

  it("then requests have no Authorization, and the cookies that fetch sends by default", async () => {
    const sent = await initOf({})
    assert.isFalse(new Headers(sent.headers).has("Authorization"))
    assert.notProperty(sent, "credentials")
  })

  it("when the option credentials is set, then fetch gets it", async () => {
    assert.strictEqual((await initOf({ credentials: "include" })).credentials, "include")
  })
})

describe("given an API key", () => {
  const authorizations = async (key: ApiKeySource) => {
    const { petstore, sent } = scripted([refusal("overloaded"), found], { key, retries: 1, maxDelay: 1 })
    await petstore.pets.get(7)
    return sent.map(({ headers }) => headers.get("Authorization"))
  }

  it("when it is a text, redacted, or comes from a function, then it is sent with each request", async () => {
    const expected = ["Bearer psk_1", "Bearer psk_1"]
    assert.deepStrictEqual(await authorizations("psk_1"), expected)
    assert.deepStrictEqual(await authorizations(Redacted.make("psk_1")), expected)
    assert.deepStrictEqual(await authorizations(() => "psk_1"), expected)
    assert.deepStrictEqual(await authorizations(async () => Redacted.make("psk_1")), expected)
  })

  it("when a function gives another one later, then that is sent from then on, repetitions included", async () => {
    const keys = ["psk_old", "psk_new"]
    assert.deepStrictEqual(await authorizations(() => keys.shift() ?? ""), ["Bearer psk_old", "Bearer psk_new"])
  })

  it("when it cannot be one, then it is rejected without being sent or shown", async () => {
    for (const key of ["psk 1", " psk_1", "Bearer psk_1", "psk_1\n", "psk_\u00e9", "\u0000"]) {
      assert.throws(
        () => scripted([found], { key }),
        TypeError,
        /^The option key takes an API key, .* or a function that returns one$/
      )
    }
    for (const key of ["", "psk 1", "psk_1\n", "psk_\u00e9", "\u0000", "=psk"]) {
      const { petstore, sent } = scripted([found], { key: () => key })
      const error = await rejection(petstore.pets.get(7))
      assert.instanceOf(error, InvalidApiKey)
      assert.strictEqual(sent.length, 0)
      if (key !== "") assert.notInclude(inspect(error, { depth: 9 }), key)
    }
    const { petstore } = scripted([found], { key: () => untyped(undefined) })
    const error = await rejection(petstore.pets.get(7))
    assert.instanceOf(error, InvalidApiKey)
    assert.match(String(error), /The option key takes an API key, and its value is undefined. Nothing was sent.$/)
  })

  it("when the function that gives it fails, then the call rejects with that very failure", async () => {
    const failure = new Error("The vault is closed")
    const later = scripted([found], { key: () => Promise.reject(failure) })
    assert.strictEqual(await rejection(later.petstore.pets.get(7)), failure)
    const atOnce = scripted([found], {
      key: () => {
        throw failure
      }
    })
    assert.strictEqual(await rejection(atOnce.petstore.pets.get(7)), failure)
    assert.strictEqual(later.sent.length + atOnce.sent.length, 0)
  })

  it("when the petstore cannot be reached, then the error does not show it", async () => {
    const { petstore } = scripted([() => Promise.reject(new TypeError("fetch failed"))], { key: "psk_hidden" })
    assert.notInclude(inspect(await rejection(petstore.pets.get(7)), { depth: 9 }), "psk_hidden")
    assert.notInclude(inspect(petstore, { depth: 9 }), "psk_hidden")
  })
})

/** The requests of methods of each form: operation, call, path and body. The engine contract calls all of them over HTTP. */
const requests: ReadonlyArray<readonly [OperationId, (petstore: PetstoreApi) => Promise<unknown>, string, unknown?]> = [
  ["listPets", ({ pets }) => pets.list(), "/pets"],
  [
    "listPets",
    ({ pets }) => pets.list({ status: "sold", categoryId: 3, name: "R&x =", id: [4, 5], limit: 2, cursor: "MTIz" }),
    "/pets?status=sold&categoryId=3&name=R%26x+%3D&id=4&id=5&limit=2&cursor=MTIz"
  ],
  ["updateOrder", ({ orders }) => orders.complete(5), "/store/orders/5", { complete: true }],
  ["rotateApiKey", ({ apiKeys }) => apiKeys.rotate(1), "/api-keys/1/rotate", {}]
]

describe("given a method", () => {
  for (const [id, call, path, body] of requests) {
    it(`when it is ${id}, then it requests ${path}`, async () => {
      const { petstore, sent } = scripted([refusal("internal_error")])
      await rejection(call(petstore))
      const [request] = sent
      assert.strictEqual(request?.method, operations.find((operation) => operation.id === id)?.method)
      assert.strictEqual(request?.path, `/v1${path}`)
      assert.deepStrictEqual(request?.body, body)
      assert.strictEqual(request?.headers.get("Content-Type"), body === undefined ? null : "application/json")
      assert.strictEqual(request?.headers.get("Accept"), "application/json")
      assert.strictEqual(request?.redirect, "manual")
    })
  }

  it("when its path would lead elsewhere, then it is rejected and not sent", async () => {
    const { petstore, sent } = scripted([found])
    for (const id of ["..", ".", "", "msg_1/../../accounts", "msg_1?limit=1", "%2e%2e"]) {
      assert.deepInclude(await rejection(petstore.messages.get(id)), { code: "validation_failed" })
    }
    assert.strictEqual(sent.length, 0)
  })
})

describe("given versions", () => {
  it("when a resource is returned, then its version is that of its tag", async () => {
    assert.strictEqual((await scripted([found]).petstore.pets.get(7)).version, 2)
    const weak = json(200, pet, { ETag: 'W/"p3"' })
    assert.strictEqual((await scripted([weak]).petstore.pets.get(7)).version, 3)
    const both = json(200, { ...pet, inventory }, { ETag: '"p3-s5"' })
    assert.deepStrictEqual(await scripted([both]).petstore.pets.getWithInventory(7), {
      ...pet,
      inventory: { ...inventory, version: 5 },
      version: 3
    })
    const stock = json(200, inventory, { ETag: '"s5"' })
    assert.deepStrictEqual(await scripted([stock]).petstore.inventory.get(7), { ...inventory, version: 5 })
  })

  it("when a change names some, then only those match, and what is no version matches none", async () => {
    const tags = async (change: (petstore: PetstoreApi) => Promise<unknown>) => {
      const { petstore, sent } = scripted([done])
      await change(petstore).catch(() => undefined)
      return sent[0]?.headers.get("If-Match")
    }
    assert.strictEqual(await tags(({ pets }) => pets.delete(7)), null)
    assert.strictEqual(await tags(({ pets }) => pets.delete(7, { ifVersion: 3 })), '"p3"')
    assert.strictEqual(await tags(({ pets }) => pets.update(7, {}, { ifVersion: [3, 4] })), '"p3", "p4"')
    assert.strictEqual(await tags(({ inventory }) => inventory.set(7, 1, { ifVersion: 5 })), '"s5"')
    assert.strictEqual(await tags(({ orders }) => orders.complete(5, { ifVersion: 1 })), '"v1"')
    assert.strictEqual(await tags(({ categories }) => categories.delete(3, { ifVersion: [] })), '"0"')
  })
})

describe("given a list in pages", () => {
  const page = (id: number, next?: string) =>
    json(200, [{ ...pet, id }], next === undefined ? {} : { Link: `</v1/pets?limit=1&cursor=${next}>; rel="next"` })

  it("when a page is read, then it contains the cursor of the next, and the last does not", async () => {
    const { petstore } = scripted([page(1, "MTIz"), page(2)])
    assert.deepStrictEqual(await petstore.pets.list(), { items: [{ ...pet, id: 1 }], next: "MTIz" })
    assert.deepStrictEqual(await petstore.pets.list({ cursor: "MTIz" }), { items: [{ ...pet, id: 2 }] })
  })

  it("when all are read, then each page is asked for with the same filters, when its turn comes", async () => {
    const { petstore, sent } = scripted([page(1, "a"), page(2, "b"), page(3)])
    const ids = []
    for await (const { id } of petstore.pets.all({ status: "sold", limit: 1 })) {
      ids.push(id)
      assert.strictEqual(sent.length, ids.length)
    }
    assert.deepStrictEqual(ids, [1, 2, 3])
    assert.deepStrictEqual(
      sent.map(({ path }) => path),
      ["", "&cursor=a", "&cursor=b"].map((cursor) => `/v1/pets?status=sold&limit=1${cursor}`)
    )
  })

  it("when reading ends early, then no more pages are asked for", async () => {
    const { petstore, sent } = scripted([page(1, "a"), page(2, "b"), page(3)])
    for await (const { id } of petstore.pets.all()) if (id === 2) break
    assert.strictEqual(sent.length, 2)
  })
})

describe("given the timer of a request", () => {
  const lost: Reply = () => Promise.reject(new TypeError("fetch failed"))
  const deaf: Reply = () => new Promise(() => {})
  const timersAfter = async (reply: Reply, signal?: AbortSignal): Promise<number> => {
    const { petstore } = scripted([reply])
    await petstore.pets.get(7, { ...(signal === undefined ? {} : { signal }) }).catch(() => {})
    return vi.getTimerCount()
  }

  it("when the request succeeds, fails or is cancelled, then its timer is cleared", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const leaving = new AbortController()
      setImmediate(() => leaving.abort())
      const left = await timersAfter(deaf, leaving.signal)
      assert.deepStrictEqual([await timersAfter(found), await timersAfter(lost), left], [0, 0, 0])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("given a signal", () => {
  const reason = new Error("The customer left")

  it("when it is raised before, then the call rejects with its reason and nothing is sent", async () => {
    const { petstore } = scripted([found], { key: () => assert.fail("A key was asked for") })
    assert.strictEqual(await rejection(petstore.pets.get(7, { signal: AbortSignal.abort(reason) })), reason)
  })

  it("when it is raised on the way, then the request is given up and the call rejects with its reason", async () => {
    const { petstore, sent } = scripted([silence])
    const leaving = new AbortController()
    const call = rejection(petstore.orders.place({ petId: 7 }, { signal: leaving.signal }))
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(sent[0]?.signal.aborted, false)
    leaving.abort(reason)
    assert.strictEqual(await call, reason)
    assert.strictEqual(sent[0]?.signal.aborted, true)
  })

  it("when it is raised between repetitions, then there are no more of them", async () => {
    const later = refusal("overloaded", {}, { "Retry-After": "3600" })
    const { petstore, sent } = scripted([later], { retries: 3, maxDelay: "2 hours" })
    const leaving = new AbortController()
    const call = rejection(petstore.pets.get(7, { signal: leaving.signal }))
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve))
    leaving.abort(reason)
    assert.strictEqual(await call, reason)
    assert.strictEqual(sent.length, 1)
  })

  it("when it is raised while a list is read, then the reading rejects with its reason", async () => {
    const leaving = new AbortController()
    const { petstore } = scripted([json(200, [pet], { Link: '</v1/pets?cursor=a>; rel="next"' })])
    const reading = async () => {
      for await (const _ of petstore.pets.all({}, { signal: leaving.signal })) leaving.abort(reason)
    }
    assert.strictEqual(await rejection(reading()), reason)
  })
})

describe("given the plain read of a pet, which is deprecated", () => {
  const sunset = refusal("operation_sunset", { sunset: "2030-12-05", successor: "/v1/store/pets/7" })
  const successor = json(200, { ...pet, inventory }, { ETag: '"p2-s5"' })

  it("when it has ended, then its successor is read, and from then on at once", async () => {
    const { petstore, sent } = scripted([sunset, successor])
    assert.deepStrictEqual(await petstore.pets.get(7), { ...pet, version: 2 })
    assert.deepStrictEqual(await petstore.pets.get(7), { ...pet, version: 2 })
    assert.deepStrictEqual(
      sent.map(({ path }) => path),
      ["/v1/pets/7", "/v1/store/pets/7", "/v1/store/pets/7"]
    )
  })

  it("when the key may not read the successor, then that is the error", async () => {
    const { petstore } = scripted([sunset, refusal("insufficient_scope", { scope: "inventory:read" })])
    const error = await rejection(petstore.pets.get(7))
    assert.isTrue(error instanceof InsufficientScope && error.details.scope === "inventory:read")
  })
})

describe("given no fetch of its own", () => {
  it("when a request is sent, then the global one of that moment is used", async () => {
    const original = globalThis.fetch
    const petstore = createClient({ baseUrl, key: "psk_1", retries: 0 })
    const { fetch, sent } = script([found])
    try {
      globalThis.fetch = (input, init = {}) => fetch(String(input), init)
      await petstore.pets.get(7)
    } finally {
      globalThis.fetch = original
    }
    assert.strictEqual(sent.length, 1)
  })
})
