import { assert, it } from "@effect/vitest"
import type { ServeOptions } from "@petstore/http"
import * as Effect from "effect/Effect"
import { populate } from "./sampleStore.ts"
import { type Reply, startServer, type TestServer } from "./TestServer.ts"

const step = /^(\w+) (\S+)((?: \[[^\]]*\])*)(?: ((?!->).+?))? -> (\d{3})((?: \[[^\]]*\])*)(?: (.+))?$/

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
      assert.notStrictEqual(found, "", line)
      if (value.startsWith("new ")) assert.notInclude([...this.values.values()], found, line)
      this.values.set(value.replace("new ", ""), found)
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
    else assert.deepInclude(reply.body, JSON.parse(content), line)
  }
}

/** Sends the requests of a transcript in turn, and checks the responses. */
const run = ({ send }: TestServer, text: string) =>
  Effect.gen(function* () {
    const known = new Known()
    for (const raw of text.trim().split("\n")) {
      const line = known.fill(raw.trim())
      const [, method = "", path = "", sent, body, status, expected, content] = step.exec(line) ?? assert.fail(line)
      const given = partsOf(sent).map((part) => /^([\w-]+): ?(.*)$/.exec(part)?.slice(1) ?? assert.fail(line))
      const { key, ...headers } = Object.fromEntries(given) as Readonly<Record<string, string>>
      const reply = yield* send(method, path, {
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
 * `METHOD PATH [header: value] BODY -> STATUS [header: value] BODY`. A body lists some fields; `nothing` is an empty one, `~text` a part
 * of its text. A header may be absent (`[etag: ]`), contain a text (`[vary~Origin]`), or give its value a name (`[etag -> tag]`, and
 * `[etag -> new tag]` if it must differ from all before), which stands in later lines for it: `{tag}`. `as first` gives the response a
 * name for `like first` and `unlike first`. `[key: ]` sends no API key.
 */
export const transcript = (name: string, text: string, { isEmpty = false, ...options }: Options = {}): void =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const server = yield* startServer(options)
      if (!isEmpty) yield* populate(server)
      yield* run(server, text)
    })
  )
