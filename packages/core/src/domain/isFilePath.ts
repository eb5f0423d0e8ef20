/** A URL, or how `--storage` and other libraries name a database. The drives of Windows have one letter. */
const isUrl = /^(?:file|jdbc|libsql|memory|postgres|postgresql|sqlite|sqlite3):|^[a-z][a-z0-9+.-]+:\/\//i

/** Whether a text may be the path of a file. */
export const isFilePath = (text: string): boolean =>
  text.trim() !== "" && !text.startsWith(":memory:") && !isUrl.test(text)
