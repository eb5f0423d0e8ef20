import type { EventEmitter } from "node:events"
import { type IncomingMessage, type ServerResponse, request as send } from "node:http"
import { connect } from "node:http2"
import { assert, describe, it } from "@effect/vitest"
import type { HandlerOptions, HostPrincipal } from "@petstore/http"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { listening, listeningHttp2 } from "../support/listening.ts"
import { adminKey, opened } from "../support/mounts.ts"

expectLogs("A response could not be sent", "failed with internal_error")

/** A request that is not ended would hold up the test. */
const patient = { requestTimeout: "1 hour", drainTimeout: "1 hour" } as const

/** Lets all that follows happen in a later turn of the event loop, in which no framework catches what is thrown. */
const authenticate = async (): Promise<HostPrincipal> => ({ actor: "user:1", scopes: ["admin"] })

/** What a use of an object of the app does. */
type Fault = "throws" | "throws from then on" | "rejects later"

/** Counts the uses of an object of the app. From the one with a number on, it has a fault. */
class Uses {
  private count = 0
  private readonly faulty: number
  private readonly fault: Fault

  constructor(faulty: number, fault: Fault) {
    this.faulty = faulty
    this.fault = fault
  }

  get hasFailed(): boolean {
    return this.count >= this.faulty
  }

  of<Target extends object>(object: Target): Target {
    return new Proxy(object, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        const mayReject = ["write", "end", "setHeader", "removeHeader"].includes(String(name))
        if (this.fault === "rejects later" && !mayReject)
          return typeof value === "function" ? value.bind(target) : value
        this.count++
        const fails = this.fault === "throws from then on" ? this.hasFailed : this.count === this.faulty
        if (!fails) return typeof value === "function" ? value.bind(target) : value
        if (this.fault === "rejects later") return () => Promise.reject(new Error("of the app"))
        throw new Error("of the app")
      },
      set: (target, name, value) => Reflect.set(target, name, value)
    })
  }
}

/** What properties of an object of the app do whenever they are used. */
type Misbehavior =
  | "throw"
  | "are promises that reject"
  | "return promises that reject"
  | "do nothing and return promises that reject"

const rejecting = (): Promise<never> => Promise.reject(new Error("of the app"))

const misbehaving = (value: unknown, target: object, misbehavior: Misbehavior): unknown => {
  if (misbehavior === "throw") throw new Error("of the app")
  if (typeof value !== "function" || misbehavior === "are promises that reject") return rejecting()
  return (...args: ReadonlyArray<unknown>) => {
    if (misbehavior === "return promises that reject") Reflect.apply(value, target, args)
    return rejecting()
  }
}

/** An object of the app whose properties misbehave if they have one of these names, whatever they are; and those of its socket and headers. Notes the names that are used. */
const faulty = <Target extends object>(
  object: Target,
  names: ReadonlySet<string>,
  used: Set<string>,
  misbehavior: Misbehavior
): Target =>
  new Proxy(object, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof name === "string") {
        used.add(name)
        if (names.has(name)) return misbehaving(value, target, misbehavior)
      }
      const isPart = (name === "socket" || name === "headers") && typeof value === "object" && value !== null
      if (isPart) return faulty(value, names, used, misbehavior)
      return typeof value === "function" ? value.bind(target) : value
    },
    set: (target, name, value) => {
      if (typeof name === "string" && names.has(name) && misbehavior === "throw") throw new Error("of the app")
      return Reflect.set(target, name, value)
    }
  })

type Sent = readonly [method: string, path: string, body?: string]

const requests: readonly [Sent, ...ReadonlyArray<Sent>] = [
  ["GET", "/v1/categories"],
  ["GET", "/v1/events/stream?after=0"],
  ["POST", "/v1/categories", '{"name":"Dogs"}'],
  ["POST", "/v1/categories", '{"name":7}'],
  ["DELETE", "/v1/categories/9"],
  ["DELETE", "/v1/categories/9", "unused"],
  ["GET", "/health/ready"],
  ["GET", "/nothing"]
]

type Wrap = (request: IncomingMessage, response: ServerResponse) => readonly [IncomingMessage, ServerResponse]

const plain: Wrap = (request, response) => [request, response]

type Outcome = number | "closed"

const headersFor = (body: string) => ({
  authorization: `Bearer ${adminKey}`,
  "content-type": "application/json",
  "content-length": body.length
})

const askHttp1 = (url: string, method: string, path: string, body: string): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const options = { method, agent: false, headers: headersFor(body), timeout: 20_000 } as const
    const sent = send(`${url}${path}`, options, (response) => {
      response.on("error", () => resolve("closed"))
      response.on("end", () => resolve(response.statusCode ?? 0)).resume()
      // A stream has no end.
      if (path.includes("stream")) response.on("data", () => sent.destroy())
    })
    sent.on("timeout", () => reject(new Error(`${method} ${path} has no response`)))
    sent.on("error", () => resolve("closed")).end(body)
  })

const askHttp2 = (url: string, method: string, path: string, body: string): Promise<Outcome> =>
  new Promise<Outcome>((resolve, reject) => {
    const session = connect(url)
    const finish = (outcome: Outcome): void => {
      resolve(outcome)
      session.destroy()
    }
    const ended = () => finish("closed")
    session.on("error", ended)
    const sent = session.request({ ":method": method, ":path": path, ...headersFor(body) }, { endStream: body === "" })
    sent.setTimeout(20_000, () => reject(new Error(`${method} ${path} has no response`)))
    sent.on("error", ended).on("close", ended)
    sent.on("response", ({ ":status": status = 0 }) => {
      sent
        .on("end", () => finish(status))
        .on("data", () => {
          // A stream has no end.
          if (path.includes("stream")) ended()
        })
    })
    if (body !== "") sent.end(body)
  })

const protocols = {
  "HTTP/1": { listen: listening, askOf: askHttp1, requests },
  "HTTP/2": { listen: listeningHttp2, askOf: askHttp2, requests: [...requests.slice(0, 3), ...requests.slice(5, 6)] }
} as const

/** An app that wraps its objects before it passes them on, and how to ask it: what is returned is `closed` without a response. */
const appWith = (
  handler: { readonly node: (request: IncomingMessage, response: ServerResponse) => void },
  protocol: keyof typeof protocols = "HTTP/1"
) =>
  Effect.gen(function* () {
    let wrap = plain
    const { askOf, listen } = protocols[protocol]
    const url = yield* listen((request, response) => handler.node(...wrap(request, response)))
    const ask = (method: string, path: string, body = ""): Promise<Outcome> => askOf(url, method, path, body)
    const askThrough = (wrapping: Wrap, [method, path, body]: Sent) => {
      wrap = wrapping
      return ask(method, path, body).finally(() => {
        wrap = plain
      })
    }
    return { ask, askThrough }
  })

/** What an app may do with a response, and what its client gets. */
const misuses: ReadonlyArray<readonly [string, (response: ServerResponse) => void, number | "closed"]> = [
  ["sends headers", (response) => response.writeHead(203), "closed"],
  ["flushes headers", (response) => response.flushHeaders(), "closed"],
  ["writes a part", (response) => response.writeHead(203).write("a part"), "closed"],
  ["announces a length", (response) => response.writeHead(203, { "content-length": 9 }).write("a part"), "closed"],
  ["responds", (response) => response.writeHead(203).end(), 203],
  ["ends the response", (response) => response.end(), 200]
]

describe("given an app that sends a response and passes the request on", () => {
  for (const [what, misuse, outcome] of misuses) {
    for (const moment of ["before", "after"] as const) {
      it.effect(`when it ${what} ${moment} that, then that response ends, and the log has what to do`, () =>
        Effect.gen(function* () {
          const { handler, petstore } = yield* opened({ ...patient, authenticate })
          const logs = vi.mocked(console.log).mock.calls
          const { ask, askThrough } = yield* appWith(handler)
          yield* Effect.promise(async () => {
            for (const request of requests.slice(0, 3)) {
              const before = logs.length
              const reply = await askThrough((original, response) => {
                if (moment === "before") misuse(response)
                else queueMicrotask(() => misuse(response))
                return [original, response]
              }, request)
              assert.strictEqual(reply, outcome, request[1])
              assert.strictEqual(await ask("GET", "/v1/categories"), 200)
              const [log, ...others] = logs.slice(before).map((values) => values.join(" "))
              assert.match(log ?? "", /Call handler.node before anything is sent, and send nothing afterwards/)
              assert.lengthOf(others, 0)
            }
            if (moment === "before") assert.lengthOf((await petstore.categories.list()).items, 0)
            await handler.close()
            assert.strictEqual((await petstore.stats()).events.subscribers, 0)
          })
        })
      )
    }
  }
})

/** Moments at which an app may do something with the objects that it has passed on. */
const moments: Readonly<Record<string, (act: () => void) => unknown>> = {
  microtask: queueMicrotask,
  nextTick: process.nextTick,
  setImmediate,
  setTimeout: (act) => setTimeout(act, 5)
}

/** Middleware that puts methods in the place of those of the response. Unlike a proxy, they are also called by those of node:http. */
const replacing = (isCalled: boolean): Readonly<Record<string, Wrap>> =>
  Object.fromEntries(
    (["writeHead", "setHeader", "write", "end"] as const).map((name) => [
      name,
      (original, response) => {
        const method = response[name]
        const replacement = (...args: ReadonlyArray<unknown>) => {
          if (isCalled) Reflect.apply(method, response, args)
          return rejecting()
        }
        return [original, Object.assign(response, { [name]: replacement })]
      }
    ])
  )

/** What is done with the request or with the response, each by a name. */
const toEither = (act: (part: EventEmitter) => unknown): Readonly<Record<string, Wrap>> => ({
  request: (original, response) => {
    act(original)
    return [original, response]
  },
  response: (original, response) => {
    act(response)
    return [original, response]
  }
})

const emitting = (emit: () => unknown) => toEither((part) => Object.assign(part, { emit }))

/** What an emit that middleware has put in the place of its own does. */
const emits: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error("of the app")
  },
  rejects: rejecting,
  "does nothing": () => true
}

/** What middleware does with the objects of requests, in several ways each; the one by a name that closes the connection. */
const interferences: ReadonlyArray<
  readonly [
    what: string,
    ways: Readonly<Record<string, Wrap>>,
    more?: { readonly closing?: string; readonly options?: HandlerOptions }
  ]
> = [
  ["a method that middleware has put in the place of its own calls the original and rejects", replacing(true)],
  ["a method that middleware has put in the place of its own rejects", replacing(false), { closing: "writeHead" }],
  ...Object.entries(emits).map(
    ([fault, emit]) =>
      [
        `an emit that middleware has put in the place of its own ${fault}`,
        emitting(emit),
        // What has come is never emitted.
        { options: { requestTimeout: "1 second" } }
      ] as const
  ),
  ...Object.entries(moments).map(
    ([moment, at]) =>
      [
        `it emits an error on the request or the response (${moment})`,
        toEither((part) => at(() => part.emit("error", new Error("of the app")))),
        { options: { authenticate } }
      ] as const
  ),
  [
    "it destroys the response before, while or after it is made",
    Object.fromEntries(
      Object.entries({ "at once": (destroy: () => void) => destroy(), ...moments }).map(([moment, at]) => [
        moment,
        (original, response) => {
          at(() => response.destroy(new Error("of the app")))
          return [original, response]
        }
      ])
    )
  ]
]

for (const protocol of ["HTTP/1", "HTTP/2"] as const) {
  describe(`given an app of ${protocol} whose request or response object fails`, () => {
    const { requests } = protocols[protocol]

    for (const fault of ["throws", "throws from then on", "rejects later"] as const) {
      it.effect(`when any use of either ${fault}, then one response ends, and nothing else`, () =>
        Effect.gen(function* () {
          const { handler, petstore } = yield* opened(fault === "throws" ? { ...patient, authenticate } : patient)
          const { ask, askThrough } = yield* appWith(handler, protocol)
          const ended = new Set<string>()
          yield* Effect.promise(async () => {
            for (const request of requests) {
              for (const failing of ["request", "response"] as const) {
                for (let use = 1, hasFailed = true; hasFailed; use++) {
                  const uses = new Uses(use, fault)
                  const outcome = await askThrough(
                    (original, response) =>
                      failing === "request" ? [uses.of(original), response] : [original, uses.of(response)],
                    request
                  )
                  hasFailed = uses.hasFailed
                  if (outcome === "closed") ended.add(request.join(" "))
                  assert.strictEqual(await ask("GET", "/v1/categories"), 200, `${request[1]}: ${failing} ${use}`)
                }
              }
            }
            await handler.close()
            assert.strictEqual((await petstore.stats()).events.subscribers, 0)
          })
          assert.deepStrictEqual(
            [...ended],
            requests.map((request) => request.join(" "))
          )
        })
      )
    }

    const misbehaviors: ReadonlyArray<readonly [Misbehavior, ways: ReadonlyArray<string>]> = [
      ["throw", []],
      ["throw", ["destroy"]],
      ["are promises that reject", []],
      ["return promises that reject", []],
      ["do nothing and return promises that reject", []],
      ["do nothing and return promises that reject", ["destroy"]]
    ]
    for (const [misbehavior, ways] of misbehaviors) {
      const what = [...ways.map((name) => `${name} and`), "each property that is used"].join(" ")
      it.effect(`when uses of ${what} always ${misbehavior}, then one response ends, and nothing is left`, () =>
        Effect.gen(function* () {
          const { handler, petstore } = yield* opened({ ...patient, streamsPerKey: 1 })
          const { ask, askThrough } = yield* appWith(handler, protocol)
          const isEmpty = async () => (await petstore.stats()).events.subscribers === 0
          yield* Effect.promise(async () => {
            for (const request of requests) {
              const known = new Set<string>()
              const wrapBy =
                (names: ReadonlySet<string>): Wrap =>
                (original, response) => [
                  faulty(original, names, known, misbehavior),
                  faulty(response, names, known, misbehavior)
                ]
              await askThrough(wrapBy(new Set()), request)
              // A set yields what is added while it is iterated over: what is used only behind a fault.
              for (const name of known) {
                await askThrough(wrapBy(new Set([name, ...ways])), request)
                assert.strictEqual(await ask("GET", "/v1/categories"), 200, `${request[1]}: ${name}`)
                for (let turn = 0; turn < 100 && !(await isEmpty()); turn++) await new Promise(setImmediate)
                assert.isTrue(await isEmpty(), `${request[1]}: ${name}`)
              }
              assert.isAtLeast(known.size, 8, [...known].join())
            }
            await handler.close()
          })
        })
      )
    }

    for (const [what, ways, { closing, options } = {}] of interferences) {
      it.effect(`when ${what}, then nothing else ends`, () =>
        Effect.gen(function* () {
          const { handler } = yield* opened({ ...patient, ...options })
          const { ask, askThrough } = yield* appWith(handler, protocol)
          yield* Effect.promise(async () => {
            for (const [way, wrap] of Object.entries(ways)) {
              for (const request of requests) {
                const outcome = await askThrough(wrap, request)
                if (way === closing) assert.strictEqual(outcome, "closed", request[1])
                assert.strictEqual(await ask("GET", "/v1/categories"), 200, `${request[1]}: ${way}`)
              }
            }
            await handler.close()
          })
        })
      )
    }
  })
}

describe("given an app of the Fetch standard whose request fails", () => {
  it.effect(
    "when a property of a Request of the Fetch standard is a promise that rejects, then only its own does",
    () =>
      Effect.gen(function* () {
        const { handler } = yield* opened(patient)
        const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
        const requestOf = ([method, path, body = ""]: Sent) =>
          new Request(`http://shop.example${path}`, { method, headers, ...(body === "" ? {} : { body }) })
        yield* Effect.promise(async () => {
          for (const request of requests) {
            const known = new Set([""])
            for (const name of known) {
              const outcome = handler.fetch(
                faulty(requestOf(request), new Set([name]), known, "are promises that reject")
              )
              await outcome.then(({ body }) => body?.cancel(), String)
              assert.strictEqual((await handler.fetch(requestOf(requests[0]))).status, 200, `${request[1]}: ${name}`)
            }
            assert.isAtLeast(known.size, 3, [...known].join())
          }
          await handler.close()
        })
      })
  )

  for (const fault of ["throws", "throws from then on"] as const) {
    it.effect(`when any use of a Request of the Fetch standard ${fault}, then only its own promise rejects`, () =>
      Effect.gen(function* () {
        const { handler, petstore } = yield* opened(fault === "throws" ? { ...patient, authenticate } : patient)
        const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" }
        const requestOf = ([method, path, body = ""]: Sent) =>
          new Request(`http://shop.example${path}`, { method, headers, ...(body === "" ? {} : { body }) })
        yield* Effect.promise(async () => {
          for (const request of requests) {
            for (let use = 1, hasFailed = true; hasFailed; use++) {
              const uses = new Uses(use, fault)
              await handler.fetch(uses.of(requestOf(request))).then(
                ({ body }) => body?.cancel(),
                ({ message }) => assert.strictEqual(message, "of the app")
              )
              hasFailed = uses.hasFailed
              assert.strictEqual((await handler.fetch(requestOf(requests[0]))).status, 200)
            }
          }
          await handler.close()
          assert.strictEqual((await petstore.stats()).events.subscribers, 0)
        })
      })
    )
  }
})
