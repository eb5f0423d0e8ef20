/** What the threads of {@link WorkerConnection} are started with, and what they post. */

import type { VerificationLimits } from "@petstore/core/ports"

/** What the thread that checks rows is started with. */
export interface CheckedFile {
  readonly file: string
  /** The prefix of the names of the store's tables. */
  readonly prefix: string
}

/** What asks it to check them. */
export interface RowCheckRequest {
  readonly limits: VerificationLimits
  /** Milliseconds of the clock of the petstore, which a thread of its own may not have. */
  readonly now: number
}

/** Properties of an error of SQLite, which a message to another thread would lose. */
export interface SqliteErrorInfo {
  readonly message: string
  readonly code?: string | undefined
  readonly errcode?: number | undefined
  readonly errstr?: string | undefined
}

/** What a thread posts: parts of a result and the share of the work that is done, then how the request ended. Of a bug it posts its text. */
export type Reply<Part> =
  | { readonly part: Part }
  | { readonly share: number }
  | { readonly error: SqliteErrorInfo }
  | { readonly defect: string }
  | { readonly done: true }

/**
 * Lets other threads go before this one: the event loop of a server has little to do at a time, and would wait for the time slices of threads
 * that compute for half a minute. By 5, it still has a third of the time of each other thread where all cores are busy. Only Linux
 * has a priority for each thread; elsewhere it is the one of the process, which stays. Uses globals only, so that its text is a program, too.
 */
export const lowerPriority = (): void => {
  const { getBuiltinModule, platform } = globalThis.process
  if (platform !== "linux") return
  try {
    const { getPriority, setPriority } = getBuiltinModule("node:os")
    setPriority(Math.min(getPriority() + 5, 19))
  } catch {
    // It is forbidden here.
  }
}
