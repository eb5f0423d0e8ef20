import type { Duration } from "effect"

/** How to open a SQLite store. */
export interface SqliteOptions {
  /** Path of the file; made where it is absent. Its directory must exist and be on a local disk. */
  readonly file: string
  /** Whether to bring the schema up to date on opening; true if absent. With false, a file that is behind is refused. */
  readonly migrate?: boolean
  /** How long a transaction waits while other processes write to the file; 5 seconds if absent. A number is milliseconds. */
  readonly lockTimeout?: Duration.Input
}

const known: ReadonlySet<string> = new Set(["file", "migrate", "lockTimeout"] satisfies ReadonlyArray<
  keyof SqliteOptions
>)

/** The options that are meant. Throws a TypeError where they are none, as from plain JavaScript they may be. */
export const optionsOf = (fileOrOptions: string | SqliteOptions): SqliteOptions => {
  const options = typeof fileOrOptions === "string" ? { file: fileOrOptions } : fileOrOptions
  if (typeof options?.file !== "string") {
    throw new TypeError('sqlite takes the path of a file, or options such as { file: "petstore.db" }')
  }
  const unknown = Object.keys(options).filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new TypeError(`sqlite does not know the option ${unknown.join(", ")}; it takes ${[...known].join(", ")}`)
  }
  return options
}
