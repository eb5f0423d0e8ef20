/** A difference between a schema and the one that the migrations of this release create. */
export interface SchemaProblem {
  /** What is wrong, such as `the index petstore_pets_live is missing`. */
  readonly problem: string
  /** The statements that mend it; none if no statement can. */
  readonly statements: ReadonlyArray<string>
}
