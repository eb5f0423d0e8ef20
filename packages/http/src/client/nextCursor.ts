import * as Result from "effect/Result"

// A Link header (RFC 8288, section 3), read from its beginning: what looks like a link within a value is none.
const address = /[ \t,]*<([^<>]*)>/y
const parameter =
  /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?)?(?=[ \t]*(?:[;,]|$))/y
const separator = /[ \t]*(?:,[ \t,]*|$)/y

/** Reads texts of these forms one after the other. */
class Reader {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at === this.text.length
  }

  next(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.at
    const match = form.exec(this.text) ?? undefined
    if (match !== undefined) this.at = form.lastIndex
    return match
  }
}

/** The parameters of a link by name in lower case: the first of each counts. */
const parametersOf = (reader: Reader): ReadonlyMap<string, string> => {
  const parameters = new Map<string, string>()
  for (let match = reader.next(parameter); match !== undefined; match = reader.next(parameter)) {
    const [, name = "", quoted, bare = ""] = match
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? bare)
  }
  return parameters
}

/** Whether a link leads from this page to the next one. A link with an anchor is one of another page. */
const isNext = (parameters: ReadonlyMap<string, string>): boolean =>
  !parameters.has("anchor") &&
  (parameters.get("rel") ?? "")
    .toLowerCase()
    .split(/[ \t]+/)
    .includes("next")

/** The cursor of the next page in a `Link` header, undefined if there is no next page; or what was found instead. */
export const nextCursor = (header: string): Result.Result<string | undefined, string> => {
  const reader = new Reader(header.replace(/^[ \t,]+/, ""))
  while (!reader.isAtEnd) {
    const target = reader.next(address)?.[1]
    const parameters = parametersOf(reader)
    if (target === undefined || reader.next(separator) === undefined) return Result.fail(`the Link header ${header}`)
    if (!isNext(parameters)) continue
    const [beforeFragment = ""] = target.split("#", 1)
    const query = new URLSearchParams(beforeFragment.replace(/^[^?]*/, ""))
    const cursor = query.get("cursor")
    return cursor === null ? Result.fail("a link to the next page without a cursor") : Result.succeed(cursor)
  }
  return Result.succeed(undefined)
}
