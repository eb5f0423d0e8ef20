import * as Data from "effect/Data"
import { UsageError } from "../errors.ts"
import { maxRowBytes } from "./jsonRow.ts"

/** An element of an array whose elements may be rows. */
interface Element {
  /** The name of the member that has the array; undefined if the array is in no object. */
  readonly array: string | undefined
  /** Without blanks around it; only the beginning if it is longer than a row may be. */
  readonly bytes: Buffer
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** What a byte means: a string of an object begins, an array begins, one of its elements ends, the array ends, a value ends. */
type Token = "string" | "array" | "element" | "endOfArray" | "endOfValue"

/** The file is not JSON. */
export class NotJson extends Data.TaggedError("NotJson")<{ readonly detail: string }> {}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

const trimmed = (bytes: Buffer): Buffer => {
  let start = 0
  let end = bytes.length
  while (start < end && isBlank(bytes[start])) start++
  while (end > start && isBlank(bytes[end - 1])) end--
  return bytes.subarray(start, end)
}

const outerProblem = () => new NotJson({ detail: "what is around its rows cannot be parsed" })

const parseOuter = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "latin1").toString("utf8"))
  } catch {
    throw outerProblem()
  }
}

const nextName =
  /^(?:next(?:_?(?:page|cursor|link|url|uri|href|token|page_?token|page_?url))?|has_?(?:more|next(?:_?page)?))$/i

/** The member of a page that leads to the next one. */
const nextIn = (page: unknown): string | undefined => {
  if (typeof page !== "object" || page === null || Array.isArray(page)) return undefined
  for (const [name, value] of Object.entries(page)) {
    const isSet = value !== null && value !== false && value !== "" && value !== 0
    if (nextName.test(name) && isSet) return `${name}: ${JSON.stringify(value)}`
    const inner = nextIn(value)
    if (inner !== undefined) return inner
  }
  return undefined
}

/**
 * Reads JSON from bytes as they arrive: arrays and objects with arrays (the pages of an API), one or more behind each other. Returns
 * the elements of these arrays as bytes, whose content is not checked. Throws {@link NotJson} if what is around them is not JSON, and a {@link UsageError} for JSON without rows.
 */
export class JsonReader {
  private depth = 0
  private inString = false
  private isEscaped = false
  /** Whether the outermost value is an object. */
  private isPage = false
  /** The depth within the array whose elements are read; 0 outside of one. */
  private arrayDepth = 0
  private array: string | undefined
  /** How many arrays the outermost value has. */
  private arrays = 0
  /** Whether no value has ended. */
  private isEmpty = true
  /** The outermost value with 0 in the place of each element, one character for each byte. */
  private outer = ""
  /** Where the latest string in it begins. */
  private stringAt = 0
  /** What the last value says of a page behind it, such as `next: "/pets?page=2"`. */
  next: string | undefined
  /** How many elements were returned. */
  private taken = 0
  private pieces: Array<Buffer> = []
  private length = 0

  /** Returns the elements that end in these bytes. */
  read(chunk: Uint8Array): ReadonlyArray<Element> {
    const bytes = Buffer.from(chunk)
    const elements: Array<Element> = []
    let start = 0
    for (let at = 0; at < bytes.length; at++) {
      const token = this.tokenOf(bytes[at])
      if (token === undefined) continue
      if (token === "element" || token === "endOfArray") {
        this.keep(bytes.subarray(start, at))
        const element = this.take()
        if (element !== undefined) elements.push(element)
        start = at
      }
      const end = token === "string" ? at : at + 1
      this.outer += bytes.toString("latin1", start, end)
      start = end
      if (token === "string") this.stringAt = this.outer.length
      if (token === "array") this.beginArray()
      if (token !== "element" && this.depth <= 0) this.endValue()
    }
    const rest = bytes.subarray(start)
    if (this.arrayDepth > 0) this.keep(rest)
    else this.outer += rest.toString("latin1")
    return elements
  }

  /** Throws {@link NotJson} if the file ends within a value, and a {@link UsageError} if it has none. */
  end(): void {
    if (this.arrayDepth > 0) {
      throw new NotJson({
        detail: `it ends within its row ${this.taken + 1}, in which a quote or a bracket may be missing`
      })
    }
    if (this.depth > 0 || this.inString) throw new NotJson({ detail: "it ends before its last bracket" })
    if (this.outer.trim() !== "") throw outerProblem()
    if (this.isEmpty) throw new UsageError({ message: "The file is empty; it must have an array of rows" })
  }

  private tokenOf(byte: number | undefined): Token | undefined {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false
      else if (byte === backslash) this.isEscaped = true
      else if (byte === quote) this.inString = false
      return undefined
    }
    switch (byte) {
      case quote:
        this.inString = true
        return this.depth === 1 && this.isPage ? "string" : undefined
      case openBracket:
      case openBrace:
        return this.open(byte)
      case closeBracket:
      case closeBrace:
        return this.close()
      case comma:
        return this.arrayDepth > 0 && this.depth === this.arrayDepth ? "element" : undefined
      default:
        return undefined
    }
  }

  private open(byte: number): Token | undefined {
    const begins = byte === openBracket && (this.depth === 0 || (this.depth === 1 && this.isPage))
    if (this.depth === 0) this.isPage = byte === openBrace
    this.depth++
    if (!begins) return undefined
    this.arrayDepth = this.depth
    return "array"
  }

  private close(): Token | undefined {
    this.depth--
    if (this.arrayDepth === 0) return this.depth <= 0 ? "endOfValue" : undefined
    if (this.depth >= this.arrayDepth) return undefined
    this.arrayDepth = 0
    return "endOfArray"
  }

  private beginArray(): void {
    this.arrays++
    const beforeColon = this.outer.slice(this.stringAt, -1).trimEnd().slice(0, -1)
    const name = this.isPage ? parseOuter(`[${beforeColon}]`) : []
    this.array = Array.isArray(name) ? name[0] : undefined
  }

  private endValue(): void {
    this.next = nextIn(parseOuter(this.outer))
    if (this.arrays === 0) {
      throw new UsageError({
        message:
          "The file has an object that is no page with an array of rows; if it has an object on each line, add --format ndjson"
      })
    }
    this.isEmpty = false
    this.outer = ""
    this.arrays = 0
  }

  /** Adds bytes to the element, of one that is too long only the first ones. */
  private keep(bytes: Buffer): void {
    if (this.length <= maxRowBytes) this.pieces.push(bytes)
    this.length += bytes.length
  }

  /** Ends the element; undefined if there is none. */
  private take(): Element | undefined {
    const bytes = trimmed(Buffer.concat(this.pieces))
    this.pieces = []
    this.length = 0
    if (bytes.length === 0) return undefined
    this.taken++
    this.outer += "0"
    return { array: this.array, bytes }
  }
}
