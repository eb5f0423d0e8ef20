/** A source with one fault in it. */
export interface Mutant {
  /** The path of the source in the repository. */
  readonly file: string
  readonly line: number
  /** What the fault is, such as `pets.lock(id) becomes pets.find(id)`. */
  readonly fault: string
  /** The whole source, with the fault. */
  readonly text: string
}

/** A replacement of a part of a text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A text with some of its parts replaced. */
export const edited = (text: string, edits: ReadonlyArray<Edit>): string =>
  [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((before, { end, start, text: part }) => before.slice(0, start) + part + before.slice(end), text)

/** A part of a source in one line. */
export const inOneLine = (text: string): string => text.replace(/\s+/g, " ")

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length
