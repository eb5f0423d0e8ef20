/** What a watch on commits wants to know of them. */
export interface WatchOptions {
  /** Whether it has a use for the events that a commit has added. Most watches only look what there is to do. */
  readonly events?: boolean
}
