/** What the threads of {@link WorkerConnection} are started with, and what they post. */

/** What the thread that checks rows is started with. */
export interface CheckedFile {
  readonly file: string
  /** The prefix of the names of the store's tables. */
  readonly prefix: string
}

/** Properties of an error of SQLite, which a message to another thread would lose. */
export interface SqliteErrorInfo {
  readonly message: string
  readonly code?: string | undefined
  readonly errcode?: number | undefined
  readonly errstr?: string | undefined
}

/** What a thread posts: parts of a result, then how the request ended. Of a bug it posts its text. */
export type Reply<Part> =
  | { readonly part: Part }
  | { readonly error: SqliteErrorInfo }
  | { readonly defect: string }
  | { readonly done: true }
