import { closeSync, existsSync, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import type { Connection } from "./Connection.ts"

/** Bytes at the beginning of a database, of its log, and of each page in the log. */
const databaseHeaderBytes = 100
export const logHeaderBytes = 32
const pageHeaderBytes = 24

const withFile = <A>(path: string, use: (file: number) => A): A => {
  const file = openSync(path, "r")
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

const readAt = (file: number, length: number, position: number): DataView | undefined => {
  const bytes = new Uint8Array(length)
  return readSync(file, bytes, 0, length, position) === length ? new DataView(bytes.buffer) : undefined
}

/** What the header of a database says, and how many pages its file has; undefined if it is no database, or of an older format. */
const pagesOf = (path: string): { readonly recorded: number; readonly inFile: number } | undefined =>
  withFile(path, (file) => {
    const header = readAt(file, databaseHeaderBytes, 0)
    // Only then does SQLite use the number of pages.
    if (header === undefined || header.getUint32(24) !== header.getUint32(92)) return undefined
    const size = header.getUint16(16)
    const pageSize = size === 1 ? 65_536 : size
    return { recorded: header.getUint32(28), inFile: Math.floor(fstatSync(file).size / pageSize) }
  })

/** The numbers of the pages in a log, those that SQLite may not use included. */
const pagesInLog = (path: string): ReadonlySet<number> =>
  withFile(path, (file) => {
    const pages = new Set<number>()
    const header = readAt(file, logHeaderBytes, 0)
    if (header === undefined) return pages
    const step = pageHeaderBytes + header.getUint32(8)
    for (let position = logHeaderBytes; ; position += step) {
      const page = readAt(file, pageHeaderBytes, position)
      // Behind the last page are those of an earlier log.
      if (
        page === undefined ||
        page.getUint32(8) !== header.getUint32(16) ||
        page.getUint32(12) !== header.getUint32(20)
      )
        return pages
      pages.add(page.getUint32(0))
    }
  })

/** How many pages a database has that are neither in its file nor in its log. */
const countMissing = (path: string, open: () => Connection): number => {
  const log = `${path}-wal`
  const hasLog = existsSync(log) && statSync(log).size > logHeaderBytes
  // SQLite rolls it back first.
  if (!hasLog && existsSync(`${path}-journal`)) return 0
  const reader = hasLog ? open() : undefined
  try {
    const counted = Number(reader?.database.prepare("PRAGMA page_count").get()?.page_count)
    const logged = hasLog ? pagesInLog(log) : new Set<number>()
    // Last: what another process moves out of the log meanwhile is in the file by then.
    const { inFile, recorded } = pagesOf(path) ?? { inFile: 0, recorded: 0 }
    let missing = 0
    for (let page = inFile + 1; page <= (hasLog ? counted : recorded); page++) if (!logged.has(page)) missing++
    return missing
  } finally {
    reader?.database.close()
  }
}

/**
 * Why a database must not be opened: another program has shortened its file. SQLite sees that only if there is no log, and writes to what
 * is left otherwise. Undefined if every page is there. Throws.
 */
export const cutProblem = (file: string, open: () => Connection): string | undefined => {
  const path = realpathSync(file)
  // Another process may have shortened it between the looks, as SQLite does after VACUUM.
  const missing = Math.min(countMissing(path, open), countMissing(path, open))
  return missing === 0
    ? undefined
    : `${missing === 1 ? "1 page of the database is" : `${missing} pages of the database are`} neither in the file nor in its log: another program has shortened it. Stop every process that uses it, and put the right files in their place (for a backup without the -wal, -shm and -head files of the old one).`
}
