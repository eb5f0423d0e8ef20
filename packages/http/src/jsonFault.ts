/** Where a text stops being JSON. */
interface JsonFault {
  /** From 0, in UTF-16 code units. */
  readonly offset: number
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  /** Such as `expected a value, not }`. */
  readonly problem: string
}

const blanks = /[ \t\n\r]*/y
const unescaped = /[ !#-[\]-\uffff]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

/** The end of what a pattern matches at a place; the place itself if it does not match. */
const skip = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Where a string ends, or what is expected where it cannot go on. */
const readString = (text: string, start: number): { readonly at: number; readonly expected?: string } => {
  let at = start + 1
  for (;;) {
    at = skip(unescaped, text, at)
    if (text[at] === '"') return { at: at + 1 }
    const next = skip(escaped, text, at)
    if (next === at)
      return { at, expected: text[at] === "\\" ? "an escape such as \\n" : "the quote that ends a string" }
    at = next
  }
}

const expectations = {
  value: "a value",
  firstElement: "a value or ]",
  name: "a name in double quotes",
  firstName: "a name in double quotes or }",
  colon: "a colon"
}

type Place = keyof typeof expectations | "end"

/**
 * Finds where a text cannot go on as JSON; undefined if it is JSON. `isStream`: one value or more, behind each other. `onName` is called
 * with each name of the outermost objects, in its quotes.
 */
const find = (
  text: string,
  isStream: boolean,
  onName?: (name: string) => void
): { readonly at: number; readonly expected: string } | undefined => {
  const open: Array<string> = []
  let place = "value" as Place
  let at = 0
  for (;;) {
    at = skip(blanks, text, at)
    const next = text[at]
    const close = open.at(-1)
    if (place === "end") {
      if (close === undefined) {
        if (next === undefined) return undefined
        if (!isStream) return { at, expected: "nothing more" }
        place = "value"
        continue
      }
      if (next !== "," && next !== close) return { at, expected: `a comma or ${close}` }
      if (next === close) open.pop()
      else place = close === "}" ? "name" : "value"
      at++
    } else if (place === "colon") {
      if (next !== ":") return { at, expected: expectations.colon }
      place = "value"
      at++
    } else if (next === close && (place === "firstElement" || place === "firstName")) {
      open.pop()
      place = "end"
      at++
    } else if (next === '"') {
      const { at: end, expected } = readString(text, at)
      if (expected !== undefined) return { at: end, expected }
      const isName = place === "name" || place === "firstName"
      if (isName && open.length === 1) onName?.(text.slice(at, end))
      place = isName ? "colon" : "end"
      at = end
    } else if (place === "name" || place === "firstName") {
      return { at, expected: expectations[place] }
    } else if (next === "{" || next === "[") {
      open.push(next === "{" ? "}" : "]")
      place = next === "{" ? "firstName" : "firstElement"
      at++
    } else {
      const end = skip(scalar, text, at)
      if (end === at) return { at, expected: expectations[place] }
      place = "end"
      at = end
    }
  }
}

const isWritten = /^[\p{L}\p{N}\p{P}\p{S}]$/u

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at)
  if (code === undefined) return "the end"
  const character = String.fromCodePoint(code)
  if (character === "\n" || character === "\r") return "the end of the line"
  return isWritten.test(character) ? character : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
}

const lineBreak = /\r\n?|\n/

/**
 * Finds where a text stops being JSON; undefined if it is JSON. `isStream`: it may be several values behind each other. The engines of
 * JavaScript have no common form for this.
 */
export const jsonFault = (text: string, isStream = false): JsonFault | undefined => {
  const fault = find(text, isStream)
  if (fault === undefined) return undefined
  const { at: offset, expected } = fault
  const lines = text.slice(0, offset).split(lineBreak)
  return {
    offset,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    problem: `expected ${expected}, not ${characterAt(text, offset)}`
  }
}

/** The first name that an object has twice, as the text of it; `JSON.parse` takes the last value. */
export const repeatedName = (object: string): string | undefined => {
  const names = new Set<string>()
  let repeated: string | undefined
  find(object, false, (quoted) => {
    const name = quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
    if (names.has(name)) repeated ??= name
    names.add(name)
  })
  return repeated
}

/** A fault with its place, such as `line 2, column 7: expected a value, not }`. */
export const describeFault = ({ column, line, problem }: JsonFault): string =>
  `line ${line}, column ${column}: ${problem}`
