/**
 * The row that a body locks before it does anything else. A store may lock it before it runs the body, together with those of
 * other transactions. It is a hint: the body locks the row itself as well, and may lock none if it fails before.
 */
export interface FirstLock {
  readonly table: "orders" | "pets"
  readonly id: number
}
