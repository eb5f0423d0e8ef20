/** A value that changes, in the form that useSyncExternalStore of React expects. Without a change, `get` returns the same value. */
export interface Store<A> {
  readonly get: () => A
  /** Returns what ends the subscription. */
  readonly subscribe: (onChange: () => void) => () => void
}
