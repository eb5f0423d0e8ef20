/** Text that is the same for everyone who asks. */
export interface StaticFile {
  /** The media type. */
  readonly type: string
  readonly text: string
  /** Names and values in turn, beside those that every file has. */
  readonly headers?: ReadonlyArray<string>
}
