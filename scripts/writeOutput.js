import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

/** Whole at any time, and untouched if it is the same: a program may be starting from it. @type {(path: string, contents: Uint8Array) => Promise<void>} */
const put = async (path, contents) => {
  const present = await readFile(path).catch(() => undefined)
  if (present?.equals(contents)) return
  const unfinished = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(unfinished, contents)
  await rename(unfinished, path)
}

/**
 * Writes files into a folder, in their order, so that what imports others comes last. Then removes the other files that this program has
 * once written there.
 *
 * @param {string} folder
 * @param {ReadonlyMap<string, Uint8Array>} files their contents by their paths in the folder
 * @param {(path: string) => boolean} isOutput
 */
export const writeOutput = async (folder, files, isOutput) => {
  for (const [path, contents] of files) await put(join(folder, path), contents)
  for (const path of await readdir(folder, { recursive: true })) {
    if (isOutput(path) && !files.has(path)) await rm(join(folder, path), { force: true })
  }
}
