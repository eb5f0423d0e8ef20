import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { run } from "./command.ts"

/** What is loaded for a program of modules. */
export interface Loaded {
  /** The URLs of all modules, in the order in which they are loaded. */
  readonly urls: ReadonlyArray<string>
  /** How many of them are files, and their size in bytes together. */
  readonly files: number
  readonly bytes: number
}

const program = (entries: ReadonlyArray<string>) => `
  import { registerHooks } from "node:module"
  const loaded = []
  registerHooks({
    load(url, context, next) {
      loaded.push(url)
      return next(url, context)
    }
  })
  ${entries.map((entry) => `await import(${JSON.stringify(entry)})`).join("\n")}
  process.stdout.write(JSON.stringify(loaded))`

const loaded = async (
  project: string,
  entries: ReadonlyArray<string>,
  given: ReadonlyArray<string>
): Promise<Loaded> => {
  const args = ["--input-type=module", "--eval", program(entries), "--", ...given]
  const output = await run(process.execPath, args, { cwd: project })
  const urls: ReadonlyArray<string> = JSON.parse(output.slice(output.lastIndexOf("\n") + 1))
  const files = urls.filter((url) => url.startsWith("file:"))
  const bytes = files.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0)
  return { urls, files: files.length, bytes }
}

const known = new Map<string, Promise<Loaded>>()

/** What Node.js loads in a project for these imports. It is found out once. */
export const loadedBy = (project: string, ...entries: ReadonlyArray<string>): Promise<Loaded> => {
  const key = [project, ...entries].join("\n")
  const before = known.get(key)
  if (before !== undefined) return before
  const now = loaded(project, entries, [])
  known.set(key, now)
  return now
}

/** What the CLI loads in a project for these arguments. */
export const loadedByCli = (project: string, ...args: ReadonlyArray<string>): Promise<Loaded> =>
  // Node.js leaves the name of the program out of `process.argv` when it evaluates text.
  loaded(project, ["./node_modules/@petstore/http/bin/petstore.js"], ["petstore", ...args])
