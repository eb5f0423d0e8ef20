import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** One Markdown file of the repository. */
export interface MarkdownFile {
  /** The path from the root, with slashes. */
  readonly path: string
  readonly text: string
}

const skipped = new Set(["node_modules", "dist", "vendor", ".snippets", ".git"])

/** The paths of the files below a folder. What is skipped is not entered: it has many times as many files. */
const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return []
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : [path]
  })

/** All Markdown files in the root, docs, packages, examples and tools. */
export const markdownFiles: ReadonlyArray<MarkdownFile> = ["docs", "packages", "examples", "tools"]
  .flatMap(filesBelow)
  .concat(readdirSync(root))
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

const fence = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm

/** The code blocks in this language. */
export const blocksOf = (text: string, language: string): ReadonlyArray<string> =>
  [...text.matchAll(fence)].flatMap(([, , found, code = ""]) => (found === language ? [code] : []))

/** The text without code, in blocks or inline. */
export const withoutCode = (text: string): string =>
  text.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "").replace(/`[^`\n]*`/g, "code")
