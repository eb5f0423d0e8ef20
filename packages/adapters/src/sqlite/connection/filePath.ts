import { statSync } from "node:fs"
import { dirname, resolve, sep } from "node:path"
import { isFilePath, shown } from "@petstore/core/domain"

/** Why a name is not the path of a file; undefined if it may be one. */
const nameProblem = (file: string): string | undefined => {
  if (!isFilePath(file))
    return `${shown(file)} is not the path of a file. Write sqlite("petstore.db"), with your path and nothing before it. Use memory() for a store in memory, and postgres() for a URL.`
  if (file.endsWith("/") || file.endsWith(sep) || file.endsWith("/."))
    return `${shown(file)} is the path of a folder. Name a file in it, such as petstore.db.`
  return undefined
}

/** The first part of a path that is a file, although the path leads on; undefined if there is none. */
const fileOnTheWay = (path: string): string | undefined => {
  const folder = dirname(path)
  if (folder === path) return undefined
  try {
    const entry = statSync(folder, { throwIfNoEntry: false })
    if (entry !== undefined) return entry.isDirectory() ? undefined : folder
  } catch {
    // A part before it may be a file.
  }
  return fileOnTheWay(folder)
}

/** The absolute path of a database. Throws if it cannot be that of a file. A database in memory cannot be shared by several connections. */
export const filePath = (file: string): string => {
  const problem = nameProblem(file)
  if (problem !== undefined) throw new Error(problem)
  const path = resolve(file)
  const inTheWay = fileOnTheWay(path)
  if (inTheWay !== undefined)
    throw new Error(`Cannot use ${path}: ${inTheWay} is a file, not a folder. Correct the path.`)
  return path
}
