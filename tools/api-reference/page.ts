import type { Description } from "./describe.ts"
import type { Entry } from "./entries.ts"

/** An export that is described on another page. */
export interface Reference {
  readonly name: string
  readonly page: string
  /** Whether it is there at run time, and not only for the compiler. */
  readonly isValue: boolean
}

/** What an entry exports. */
export interface Content {
  readonly entry: Entry
  readonly doc: string
  readonly own: ReadonlyArray<Description>
  readonly elsewhere: ReadonlyArray<Reference>
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const section = ({ code, doc, example, name }: Description): string =>
  [
    `### ${name}\n`,
    `${doc}\n`,
    ...(code === "" ? [] : [`\`\`\`ts\n${code}\n\`\`\`\n`]),
    ...(example === "" ? [] : [`For example:\n\n${example}\n`])
  ].join("\n")

const sections = (title: string, all: ReadonlyArray<Description>): ReadonlyArray<string> =>
  all.length === 0 ? [] : [`## ${title}\n`, ...all.map(section)]

const errors = (all: ReadonlyArray<Description>): ReadonlyArray<string> =>
  all.length === 0
    ? []
    : [
        "## Errors\n",
        [
          "| Class | Code | Status | `details` | When |",
          "| ----- | ---- | ------ | --------- | ---- |",
          ...all.map(
            ({ doc, error, name }) =>
              `| \`${name}\` | \`${error?.code}\` | ${error?.status} | ${error?.details} | ${cell(doc)} |`
          ),
          ""
        ].join("\n")
      ]

const documented = (all: ReadonlyArray<Description>) => all.filter(({ doc }) => doc !== "")

/** Members that the docstring of their namespace describes. */
const namesAlone = (all: ReadonlyArray<Description>): ReadonlyArray<string> => {
  const names = all.filter(({ doc }) => doc === "").map(({ name }) => `\`${name}\``)
  return names.length === 0 ? [] : [`${names.join(", ")}.\n`]
}

const groups = (all: ReadonlyArray<Description>): ReadonlyArray<string> => {
  const of = (kind: Description["kind"]) => all.filter((one) => one.kind === kind)
  return [
    ...sections("Functions and values", of("value")),
    ...sections("Classes and services", of("class")),
    ...sections("Types", of("type")),
    ...errors(of("error")),
    ...of("namespace").flatMap(({ doc, members, name }) => [
      `## ${name}\n`,
      `${doc}\n`,
      ...documented(members).map((member) => section({ ...member, name: `${name}.${member.name}` })),
      ...namesAlone(members)
    ])
  ]
}

const references = (all: ReadonlyArray<Reference>): ReadonlyArray<string> => {
  const pages = [...new Set(all.map(({ page }) => page))]
  const listed = (kind: string, page: string, isValue: boolean): ReadonlyArray<string> => {
    const names = all.filter((one) => one.page === page && one.isValue === isValue).map(({ name }) => `\`${name}\``)
    return names.length === 0
      ? []
      : [`${kind}, described at [${page.replace(".md", "")}](${page}): ${names.join(", ")}.\n`]
  }
  return pages.length === 0
    ? []
    : [
        "## Also exported\n",
        ...pages.flatMap((page) => [...listed("Values", page, true), ...listed("Types", page, false)])
      ]
}

const note = "Made from the docstrings by `npm run docs:api`; change those."

/** The page of one entry. */
export const page = ({ doc, elsewhere, entry, own }: Content): string =>
  [`# ${entry.name}\n`, `${doc}\n`, `<!-- ${note} -->\n`, ...groups(own), ...references(elsewhere)].join("\n")

/** The list of all entries. */
export const indexPage = (contents: ReadonlyArray<Content>): string =>
  [
    "# API reference\n",
    `${note}\n`,
    "| Import | What it is |",
    "| ------ | ---------- |",
    ...contents.map(({ doc, entry }) => `| [\`${entry.name}\`](${entry.page}) | ${cell(doc)} |`),
    ""
  ].join("\n")
