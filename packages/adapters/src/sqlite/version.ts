const oldestSafe = [3, 51, 3]

/** Whether this SQLite has the fix of the bug that could corrupt a WAL database which several connections write to. */
export const isSafeVersion = (version: string): boolean => {
  const parts = version.split(".").map(Number)
  for (const [index, oldest] of oldestSafe.entries()) {
    const part = parts[index] ?? 0
    if (part !== oldest) return part > oldest
  }
  return true
}

/** The same, as what to tell people where it has not; undefined where it has. */
export const versionProblem = (version: string): string | undefined =>
  isSafeVersion(version)
    ? undefined
    : `SQLite ${version} can corrupt a database that several connections write to. Use SQLite ${oldestSafe.join(".")} or newer, which Node 22.23 and 24 bring along.`
