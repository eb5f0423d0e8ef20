import process from "node:process"

/** The SQLite module of this runtime, loaded on first use. Throws if there is none. */
export const nodeSqlite = (): typeof import("node:sqlite") => {
  const found = process.getBuiltinModule?.("node:sqlite")
  if (found === undefined) {
    throw new Error(
      `there is no node:sqlite in this runtime (${process.version}), or a flag has switched it off. Use Node.js 22.23 or newer.`
    )
  }
  return found
}
