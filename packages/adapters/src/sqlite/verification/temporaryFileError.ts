import { accessSync, constants, statSync } from "node:fs"
import { tmpdir } from "node:os"
import process from "node:process"
import { StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { isFull, isUnwritten, statementError } from "../connection/errors.ts"

const isUsable = (folder: string | undefined): folder is string => {
  try {
    if (folder === undefined || !statSync(folder).isDirectory()) return false
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder in which SQLite creates temporary files. */
const temporaryFolder = (): string => {
  if (process.platform === "win32") return tmpdir()
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  return [SQLITE_TMPDIR, TMPDIR, "/var/tmp", "/usr/tmp", "/tmp"].find(isUsable) ?? "."
}

/** The error of a statement that writes to temporary files only, such as one that sorts. Names their folder if there is no room in it. */
export const temporaryFileError = (cause: unknown): StorageError =>
  isFull(cause) || isUnwritten(cause)
    ? new StorageFull(
        {},
        {
          message: `There is no room for temporary files in ${temporaryFolder()}. Free some space there, or start again with SQLITE_TMPDIR set to another folder.`,
          cause
        }
      )
    : statementError(cause)
