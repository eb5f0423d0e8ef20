import { Schema, SchemaTransformation } from "effect"

const wellFormed = Schema.makeFilter((text: string) => text.isWellFormed() || "Expected no lone surrogates")

// The stored form: no stray blanks around it, one spelling for one text.
const canonical = SchemaTransformation.transform<string, string>({
  decode: (text) => text.trim().normalize("NFC"),
  encode: (text) => text
})

/** One line of text: 1 to `max` code points as sent, at least one not blank, no control characters. Kept trimmed, in NFC. */
export const line = (max: number) =>
  Schema.String.check(
    Schema.isMinCodePoints(1, { message: "Expected at least one character" }),
    Schema.isMaxCodePoints(max, { message: `Expected at most ${max} characters` }),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point
    Schema.isPattern(/^[^\u0000-\u001f\u007f-\u009f]*$/, { message: "Expected no control characters" }),
    Schema.isPattern(/\S/, { message: "Expected a character that is not blank" }),
    wellFormed
  ).pipe(Schema.decodeTo(Schema.String, canonical))

/** Text of several lines: `min` to `max` code points as sent; tab, line feed and carriage return are its only control characters. Kept trimmed, in NFC. */
export const prose = (min: 0 | 1, max: number) => {
  const text = Schema.String.check(
    Schema.isMinCodePoints(min, { message: "Expected at least one character" }),
    Schema.isMaxCodePoints(max, { message: `Expected at most ${max} characters` }),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point
    Schema.isPattern(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$/, {
      message: "Expected no control characters but tab, line feed and carriage return"
    }),
    wellFormed
  )
  return (
    min === 0 ? text : text.check(Schema.isPattern(/\S/, { message: "Expected a character that is not blank" }))
  ).pipe(Schema.decodeTo(Schema.String, canonical))
}

/** The form in which names are compared for uniqueness: trimmed, NFC, without case. */
export const nameKey = (name: string): string =>
  name.trim().normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")
