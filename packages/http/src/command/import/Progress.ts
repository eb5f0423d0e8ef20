import type { Counts } from "./importPets.ts"

const everyMillis = 100

/** Where progress is shown, such as standard error. */
export interface Display {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** One line on a terminal that says how far an import is; nothing where there is no terminal. */
export class Progress {
  private readonly display: Display
  private readonly now: () => number
  private shownAt: number | undefined

  /** The clock answers milliseconds. */
  constructor(display: Display, now: () => number) {
    this.display = display
    this.now = now
  }

  /** Shows the counts, and which share of the file was read if that is known. */
  show({ imported, rejected }: Counts, share: number | undefined): void {
    const now = this.now()
    if (this.display.isTTY !== true || (this.shownAt !== undefined && now - this.shownAt < everyMillis)) return
    this.shownAt = now
    const percent = share === undefined ? "" : `${Math.floor(share * 100)} %, `
    this.display.write(`\r\x1b[K${percent}${imported} imported, ${rejected} rejected`)
  }

  clear(): void {
    if (this.shownAt !== undefined) this.display.write("\r\x1b[K")
  }
}
