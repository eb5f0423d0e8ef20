import type { Counts } from "./importPets.ts"

const everyMillis = 100

/** One line on a terminal that says how far an import is; nothing where standard error is no terminal. */
export class Progress {
  private shownAt = Number.NEGATIVE_INFINITY

  show({ imported, rejected }: Counts, share: number | undefined): void {
    const now = performance.now()
    if (!process.stderr.isTTY || now - this.shownAt < everyMillis) return
    this.shownAt = now
    const percent = share === undefined ? "" : `${Math.floor(share * 100)} %, `
    process.stderr.write(`\r\x1b[K${percent}${imported} imported, ${rejected} rejected`)
  }

  clear(): void {
    if (this.shownAt > 0) process.stderr.write("\r\x1b[K")
  }
}
