import { assert, it } from "@effect/vitest"
import type { ServeOptions } from "@petstore/http"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { populate } from "./sampleStore.ts"
import { type Reply, type Sending, startServer } from "./TestServer.ts"

const step = /^(?:(\w+): )?([A-Z]+) (\S+)((?: \[[^\]]*\])*)(?: ((?!->).+?))? -> (\d{3})((?: \[[^\]]*\])*)(?: (.+))?$/

const partsOf = (text = ""): ReadonlyArray<string> => [...text.matchAll(/\[([^\]]*)\]/g)].map(([, part = ""]) => part)

/** All of a response that must be the same when a request is repeated. */
const essence = ({ headers, status, text }: Reply) => [status, text, headers.get("etag"), headers.get("location")]

/** What a transcript has read: values of headers, and responses, by their names. */
class Known {
  readonly values = new Map<string, string>()
  readonly replies = new Map<string, Reply>()

  /** The line with the values that it names. */
  fill(line: string): string {
    return line.replace(
      /\{(\w+)\}/g,
      (_, name) => this.values.get(name) ?? assert.fail(`Nothing before is ${name}: ${line}`)
    )
  }

  checkHeader({ headers }: Reply, part: string, line: string): void {
    const [, name = "", kind, value = ""] = /^([\w-]+)( -> |: ?|~)(.*)$/.exec(part) ?? assert.fail(line)
    const found = headers.get(name) ?? ""
    if (kind === " -> ") {
      // Of a link to a next page, its target.
      const [, next = found] = /^<([^>]+)>; rel="next"$/.exec(found) ?? []
      assert.notStrictEqual(found, "", line)
      if (value.startsWith("new ")) assert.notInclude([...this.values.values()], next, line)
      this.values.set(value.replace("new ", ""), next)
    } else if (kind === "~") assert.include(found, value, line)
    else assert.strictEqual(found, value, line)
  }

  checkBody(reply: Reply, content: string, line: string): void {
    const [, how, name = ""] = /^(as|like|unlike) (\w+)$/.exec(content) ?? []
    if (how === "as") this.replies.set(name, reply)
    else if (how !== undefined) {
      const earlier = essence(this.replies.get(name) ?? assert.fail(line))
      if (how === "like") assert.deepStrictEqual(essence(reply), earlier, line)
      else assert.notDeepEqual(essence(reply), earlier, line)
    } else if (content === "nothing") assert.strictEqual(reply.text, "", line)
    else if (content.startsWith("~")) assert.include(reply.text, content.slice(1), line)
    else if (content.startsWith("no ")) assert.notInclude(reply.text, content.slice(3), line)
    else if (content.startsWith("is ")) assert.strictEqual(reply.text, content.slice(3), line)
    else if (content.startsWith("ids")) {
      const ids = (reply.body as ReadonlyArray<{ readonly id: number }>).map(({ id }) => id)
      assert.strictEqual(["ids", ...ids].join(" "), content, line)
    } else assert.deepInclude(reply.body, JSON.parse(content), line)
  }
}

type Send = (method: string, path: string, sending?: Sending) => Effect.Effect<Reply>

/**
 * Sends the requests of a {@link transcript} in turn, and checks the responses. A line that begins with a name and a colon is sent by
 * that caller.
 */
export const follow = (send: Send, text: string, callers: Readonly<Record<string, Send>> = {}) =>
  Effect.gen(function* () {
    const known = new Known()
    for (const raw of text.split("\n")) {
      const line = known.fill(raw.trim())
      if (line === "") continue
      const [, time] = /^at (\S+)$/.exec(line) ?? []
      if (time !== undefined) {
        yield* TestClock.setTime(Date.parse(time))
        continue
      }
      const [, caller, method = "", path = "", sent, body, status, expected, content] =
        step.exec(line) ?? assert.fail(line)
      const given = partsOf(sent).map((part) => /^([\w-]+): ?(.*)$/.exec(part)?.slice(1) ?? assert.fail(line))
      const { key, ...headers } = Object.fromEntries(given) as Readonly<Record<string, string>>
      const sending = caller === undefined ? send : (callers[caller] ?? assert.fail(`Nobody is ${caller}: ${line}`))
      const reply = yield* sending(method, path, {
        headers,
        ...(key === undefined ? {} : { key: key === "" ? undefined : key }),
        ...(body === undefined ? {} : { raw: body })
      })
      assert.strictEqual(reply.status, Number(status), `${line} ${reply.text}`)
      for (const part of partsOf(expected)) known.checkHeader(reply, part, line)
      if (content !== undefined) known.checkBody(reply, content, line)
    }
  })

interface Options extends ServeOptions {
  /** Whether the store is without the sample resources. */
  readonly isEmpty?: boolean
}

/**
 * A test that sends requests to a server of its own, in turn. Each line is a request and what its response must be:
 * `METHOD PATH [header: value] BODY -> STATUS [header: value] BODY`. A body lists some fields;
 * `ids 1 2` are those of a list; `nothing` is an empty one, `~text` a part of its text, `no text` what it must not have, `is text` all. A header may be absent (`[etag: ]`), contain a
 * text (`[vary~Origin]`), or give its value a name (`[etag -> tag]`, and `[etag -> new tag]` if it must differ from all before), which
 * stands in later lines for it: `{tag}`; of a link to a next page, this is its path. `as first` gives the response a name for
 * `like first` and `unlike first`. `[key: ]` sends no API key. `at 2030-12-05T00:00:00Z` moves the clock.
 */
export const transcript = (name: string, text: string, { isEmpty = false, ...options }: Options = {}): void =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const server = yield* startServer(options)
      if (!isEmpty) yield* populate(server)
      yield* follow(server.send, text)
    })
  )
