import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** One Markdown file of the repository. */
export interface MarkdownFile {
  /** The path from the root, with slashes. */
  readonly path: string
  readonly text: string
}

const skipped = /(^|\/)(node_modules|dist|vendor|\.snippets|\.git)(\/|$)/

/** All Markdown files in the root, docs, packages, examples and tools. */
export const markdownFiles: ReadonlyArray<MarkdownFile> = ["docs", "packages", "examples", "tools"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
  )
  .concat(readdirSync(root))
  .map((path) => relative(root, join(root, path)).split(sep).join("/"))
  .filter((path) => path.endsWith(".md") && !skipped.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

const fence = /^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm

/** The code blocks in this language. */
export const blocksOf = (text: string, language: string): ReadonlyArray<string> =>
  [...text.matchAll(fence)].flatMap(([, , found, code = ""]) => (found === language ? [code] : []))

/** The text without code, in blocks or inline. */
export const withoutCode = (text: string): string => text.replace(fence, "").replace(/`[^`\n]*`/g, "code")
