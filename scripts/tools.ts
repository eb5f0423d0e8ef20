/**
 * The folders under `tools`: programs that tests need and that are no part of the workspace, for they are large or want
 * other versions. Each has a lock file of its own, and is installed when tests first need it, and again when that changes.
 */
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"

const tools = new URL("../tools/", import.meta.url)

/** The tools of each project of the tests. */
const neededBy: Readonly<Record<string, ReadonlyArray<string>>> = {
  integration: ["api-reference", "generated-client", "mock-server", "spectral"],
  packages: ["generated-client", "next", "runtimes"]
}

const textOf = (file: URL): Promise<string | undefined> => readFile(file, "utf8").catch(() => undefined)

/** Installs a tool, unless it is installed as its lock file says. */
export const installTool = async (name: string): Promise<void> => {
  const folder = new URL(`${name}/`, tools)
  const lock = await textOf(new URL("package-lock.json", folder))
  const stamp = new URL("node_modules/.installed-lock.json", folder)
  if (lock === undefined || lock === (await textOf(stamp))) return
  console.log(`Installing tools/${name}, once`)
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
  // On Windows npm is a command file, which only a shell runs.
  await promisify(execFile)("npm", args, { cwd: fileURLToPath(folder), shell: process.platform === "win32" })
  await writeFile(stamp, lock)
}

if (import.meta.main) for (const name of process.argv.slice(2)) await installTool(name)

/** Installs what the tests of a project need. Where that fails, such as offline, they are skipped and say why. */
export default async ({ name }: TestProject): Promise<void> => {
  for (const tool of neededBy[name] ?? []) {
    await installTool(tool).catch((error: unknown) => {
      console.error(`tools/${tool} could not be installed, so tests that need it are skipped: ${error}`)
    })
  }
}
