import type { Description } from "./describe.ts"
import type { Content } from "./page.ts"

/** The entries that may change in a minor version: see docs/upgrade-policy.md. */
const changing = new Set(["runtime", "remote", "kernel", "tables"].map((name) => `@petstore/core/${name}`))

const withoutComments = (code: string): string =>
  code
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/^ *\/\/ .*$/gm, "")
    .replace(/\n(?: *\n)+/g, "\n")
    .trim()

const indented = (text: string): string => text.replace(/^/gm, "  ")

const signature = ({ code, error, kind, members, name }: Description): string => {
  if (kind === "namespace")
    return `namespace ${name} {\n${members.map((one) => indented(signature(one))).join("\n")}\n}`
  if (error !== undefined) return `error ${name}: ${error.code}, ${error.status} (${error.details.replaceAll("`", "")})`
  const text = withoutComments(code)
  return text === "" ? `const ${name}` : text
}

/** What the entries export that a minor version leaves as it is, without docstrings: a change of the API is a difference of this text. */
export const signatures = (contents: ReadonlyArray<Content>): string =>
  contents
    .filter(({ entry }) => !changing.has(entry.name))
    .map(({ elsewhere, entry, own }) =>
      [`# ${entry.name}`, ...own.map(signature), ...elsewhere.map(({ name, page }) => `${name} of ${page}`), ""].join(
        "\n"
      )
    )
    .join("\n")
