/**
 * What tests need that is no part of the workspace: `tools`, the folders below it and an example, each with a lock file.
 * They are installed when tests first need them, and again when their lock file changes.
 */
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = new URL("../", import.meta.url)

const textOf = (file: URL): Promise<string | undefined> => readFile(file, "utf8").catch(() => undefined)

/** Installs the programs of a folder, unless they are installed as its lock file says. `say`: tells that it takes a while. */
export const installTools = async (name: string, say: (line: string) => void = console.log): Promise<void> => {
  const folder = new URL(`${name}/`, root)
  const lock = await textOf(new URL("package-lock.json", folder))
  const stamp = new URL("node_modules/.installed-lock.json", folder)
  if (lock === undefined || lock === (await textOf(stamp))) return
  say(`Installing ${name}, once`)
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
  // On Windows npm is a command file, which only a shell runs.
  await promisify(execFile)("npm", args, { cwd: fileURLToPath(folder), shell: process.platform === "win32" })
  await writeFile(stamp, lock)
}

if (import.meta.main) for (const name of process.argv.slice(2)) await installTools(name)

/** Installs what the tests of the packages need. If that fails, for example offline, they are skipped with the reason. */
export default async (): Promise<void> => {
  for (const folder of ["tools", "tools/platforms", "tools/middleware", "tools/registry", "examples/live-stock"]) {
    await installTools(folder).catch((error: unknown) => {
      console.error(`${folder} could not be installed, so tests that need it are skipped: ${error}`)
    })
  }
}
