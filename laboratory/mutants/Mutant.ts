/** A source with one fault in it. */
export interface Mutant {
  /** The path of the source in the repository. */
  readonly file: string
  readonly line: number
  /** What the fault is, such as `if (isTaken(record)) return is removed`. */
  readonly fault: string
  /** The whole source, with the fault. */
  readonly text: string
}

/** A part of a source in one line. */
export const inOneLine = (text: string): string => text.replace(/\s+/g, " ")

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length
