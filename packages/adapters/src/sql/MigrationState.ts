/** The state of one migration. */
export interface MigrationState {
  readonly id: number
  readonly name: string
  /** When it was applied to the store; undefined if it was not. */
  readonly appliedAt: string | undefined
}

/** A row of `petstore_migrations` as the state that it records. */
export const appliedState = (row: Readonly<Record<string, unknown>>): MigrationState => ({
  id: Number(row.id),
  name: String(row.name),
  appliedAt: String(row.applied_at)
})

/** Every migration of a store and of this release, in order: those that are applied, and then the others. */
export const migrationStates = (
  applied: ReadonlyArray<MigrationState>,
  known: ReadonlyArray<Pick<MigrationState, "id" | "name">>
): ReadonlyArray<MigrationState> => {
  const pending = known.filter(({ id }) => applied.every((step) => step.id !== id))
  return [...applied, ...pending.map(({ id, name }) => ({ id, name, appliedAt: undefined }))]
}

/** Selects the rows for {@link appliedState}. */
export const selectApplied = "SELECT id, name, applied_at FROM petstore_migrations ORDER BY id"

/**
 * Why a store cannot be migrated: of the migrations that it records, one before the last is missing. Undefined if none is.
 */
export const missingRecord = (
  applied: ReadonlyArray<number>,
  known: ReadonlyArray<Pick<MigrationState, "id" | "name">>
): string | undefined => {
  const last = Math.max(0, ...applied)
  const missing = known.find(({ id }) => id < last && !applied.includes(id))
  return missing === undefined
    ? undefined
    : `Migration ${missing.id} (${missing.name}) is not recorded in petstore_migrations, but migration ${last} is: another program has deleted rows there. Restore the table from a backup.`
}

/** A difference between a schema and the one that the migrations of this release create. */
export interface SchemaProblem {
  /** What is wrong, such as `the index petstore_pets_live is missing`. */
  readonly problem: string
  /** The statements that fix it; none if no statement can. */
  readonly statements: ReadonlyArray<string>
}
