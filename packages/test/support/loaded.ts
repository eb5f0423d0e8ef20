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

/** What Node.js loads in a project for these imports. */
export const loadedBy = async (project: string, ...entries: ReadonlyArray<string>): Promise<Loaded> => {
  const args = ["--input-type=module", "--eval", program(entries)]
  const urls: ReadonlyArray<string> = JSON.parse(await run(process.execPath, args, { cwd: project }))
  const files = urls.filter((url) => url.startsWith("file:"))
  const bytes = files.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0)
  return { urls, files: files.length, bytes }
}
