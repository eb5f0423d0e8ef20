/** A message of the server, as PGlite reads it. */
export interface PgliteMessage {
  /** Such as `dataRow`, `commandComplete`, `error`, `notice` or `readyForQuery`. */
  readonly name: string
}

/** A `PGlite` of the package `@electric-sql/pglite`, as far as the adapter uses it. */
export interface PgliteDatabase {
  readonly waitReady: Promise<unknown>
  readonly closed: boolean
  /** Runs a function while no other statement runs. */
  runExclusive<A>(work: () => Promise<A>): Promise<A>
  /** Sends messages of the PostgreSQL protocol. */
  execProtocol(
    message: Uint8Array,
    options: { readonly throwOnError: boolean; readonly syncToFs: boolean }
  ): Promise<{ readonly messages: ReadonlyArray<PgliteMessage> }>
}
