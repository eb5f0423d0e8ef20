import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { asIs } from "./asIs.ts"

// Spelled out rather than \s and \S, so that every reader of the published patterns means the same characters.
const blank = " \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
const lineBreaks = "\\t\\n\\r"
const control = "\\u0000-\\u001f\\u007f-\\u009f"
// Embeddings, overrides and isolates, which show a text in another order than it has: "fdp.exe" as "exe.pdf", for example.
const directional = "\\u202a-\\u202e\\u2066-\\u2069"
// What is drawn as nothing at all, and is a part of emoji and words of many scripts: no text consists of it alone.
const invisible =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\ufff9-\\ufffb"
const controlInProse = "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f"

/** A check of text against a pattern that is published with the schema. */
export const matches = (pattern: RegExp, message: string) =>
  Schema.isPattern(pattern, { message, toJsonSchema: () => ({ pattern: pattern.source }) })

const without = (characters: string): RegExp => new RegExp(`^[^${characters}]*$`)

// No two neighbours in the pattern take the same character, so that it takes linear time.
const visible = (excluded: string, blanks: string) =>
  matches(
    new RegExp(`^[${blanks}${invisible}]*[^${blanks}${invisible}${excluded}][^${excluded}]*$`),
    "Expected a character that can be seen"
  )

const atLeastOne = Schema.isMinCodePoints(1, { message: "Expected at least one character" }).abort()

const atMost = (max: number) => Schema.isMaxCodePoints(max, { message: `Expected at most ${max} characters` }).abort()

// Invisible characters beyond the first plane: JSON Schema has no pattern for them that every reader of it understands.
const isHidden = new RegExp(
  `^[${lineBreaks}${blank}${invisible}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]+$`,
  "u"
)
const hasPairs = /[\ud800-\udbff]/

const visibleBeyond = Schema.makeFilter(
  (text: string) => !(hasPairs.test(text) && isHidden.test(text)) || "Expected a character that can be seen"
)

const wellFormed = Schema.makeFilter((text: string) => text.isWellFormed() || "Expected no lone surrogates")

// Unicode's stream-safe text (UAX #15) has at most 30. To normalize a longer run takes a square of its length.
const tooManyMarks = /\p{M}{31}/u

const fewMarks = Schema.makeFilter(
  (text: string) => !tooManyMarks.test(text) || "Expected at most 30 combining marks in a row"
)

const readAs = (decode: (text: string) => string) =>
  SchemaTransformation.transform<string, string>({ decode, encode: (text) => text })

const composed = readAs((text) => text.normalize("NFC"))

// The stored form: no stray blanks around it, one spelling for one text.
const canonical = readAs((text) => text.trim().normalize("NFC"))

const excludedInLine = control + directional
const controlsMessage = "Expected no control characters and none that change the direction of text"

const plainLine = /^[!-~](?:[ -~]*[!-~])?$/
const plainProse = /^[!-~](?:[\t\n\r -~]*[!-~])?$/

/** Whether a value is surely valid and kept as it is: printable ASCII without blanks around it, as most names are. */
const isPlain = (plain: RegExp, value: unknown, max: number): boolean =>
  typeof value === "string" && value.length <= max && plain.test(value)

/**
 * One line of text: 1 to `max` code points as sent, at least one that can be seen, no control characters, and none that change
 * the direction of text. Kept trimmed, in NFC.
 */
export const line = (max: number) => {
  const schema = Schema.String.check(atLeastOne, atMost(max))
    .check(
      wellFormed,
      Schema.isPattern(without(excludedInLine), { message: controlsMessage }).abort(),
      visible(excludedInLine, blank),
      visibleBeyond,
      fewMarks
    )
    .pipe(Schema.decodeTo(Schema.String, canonical))
  return asIs(schema, (value) => isPlain(plainLine, value, max))
}

/** The beginning of a line of text: 1 to `max` code points as sent. Read in NFC, with the blanks around it. */
export const beginning = (max: number) =>
  Schema.String.check(
    atLeastOne,
    atMost(max),
    wellFormed,
    matches(without(excludedInLine), controlsMessage),
    fewMarks
  ).pipe(Schema.decodeTo(Schema.String, composed))

const proseControlsMessage = "Expected no control characters but tab, line feed and carriage return"

/**
 * Text of several lines: `min` to `max` code points as sent; tab, line feed and carriage return are its only control
 * characters. At least one can be seen where `min` is 1. Kept trimmed, in NFC.
 */
export const prose = (min: 0 | 1, max: number) => {
  const schema = (
    min === 0
      ? Schema.String.check(atMost(max), wellFormed, matches(without(controlInProse), proseControlsMessage), fewMarks)
      : Schema.String.check(
          atLeastOne,
          atMost(max),
          wellFormed,
          Schema.isPattern(without(controlInProse), { message: proseControlsMessage }).abort(),
          visible(controlInProse, lineBreaks + blank),
          visibleBeyond,
          fewMarks
        )
  ).pipe(Schema.decodeTo(Schema.String, canonical))
  return asIs(schema, (value) => isPlain(plainProse, value, max))
}

/** The form in which names are compared for uniqueness: trimmed, NFC, without case. */
export const nameKey = (name: string): string =>
  name.trim().normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC")
