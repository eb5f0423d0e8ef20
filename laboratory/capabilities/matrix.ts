import type { AdapterReport, TestedAdapter } from "./TestedAdapter.ts"

interface Column {
  readonly adapter: TestedAdapter
  readonly report: AdapterReport
}

/** What a fixture says about its adapter. */
const capabilities: Readonly<Record<string, (adapter: TestedAdapter) => boolean>> = {
  "several petstores use one database": ({ petstores }) => petstores.openAnother !== undefined,
  "their transactions overlap": ({ stores }) => stores.writers === "many",
  "petstore calls join a transaction of your app": ({ stores }) => stores.host !== undefined,
  "`backup` copies the store to a file": ({ petstores }) => petstores.backups !== undefined,
  "`search` finds words of names": ({ petstores }) => petstores.findsWords !== false,
  "the contracts make it fail, at any write and at COMMIT": ({ stores }) => stores.faults !== undefined
}

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`
  return [line(header), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join("\n")
}

const inGroup = <A extends { readonly group: string }>(all: ReadonlyArray<A>, group: string | undefined) =>
  group === undefined ? all : all.filter((one) => one.group === group)

/** How many cases of a group passed, and of how many if not all did; of all groups if there is no group. */
const countOf = ({ failed, passed, skipped }: AdapterReport, group?: string): string => {
  const [done, wrong, left] = [passed, failed, skipped].map((all) => inGroup(all, group).length)
  const notes = [wrong === 0 ? [] : [`${wrong} failed`], left === 0 ? [] : [`${left} skipped`]].flat()
  return done === 0 && notes.length === 0 ? "-" : [`${done}`, ...notes].join(", ")
}

/** Why cases of an adapter do not run, with how many of which group. */
const reasonsOf = ({ adapter, report }: Column): ReadonlyArray<string> =>
  [...new Set(report.skipped.map(({ reason }) => reason))].map((reason) => {
    const skipped = report.skipped.filter((one) => one.reason === reason)
    const groups = [...new Set(skipped.map(({ group }) => group))]
    return `- ${adapter.name} skips ${skipped.length} cases of ${groups.join(", ")}: ${reason}.`
  })

const reasons = (columns: ReadonlyArray<Column>): string =>
  columns.flatMap(reasonsOf).join("\n") || "No case is skipped on any adapter."

/** What adapters can do, and which cases they skip, as Markdown. */
export const formatCapabilities = (columns: ReadonlyArray<Column>): string =>
  [
    table(
      ["Capability", ...columns.map(({ adapter }) => adapter.name)],
      Object.entries(capabilities).map(([what, has]) => [
        what,
        ...columns.map(({ adapter }) => (has(adapter) ? "yes" : "no"))
      ])
    ),
    reasons(columns)
  ].join("\n\n")

/** How many cases of each group passed, as Markdown. */
export const formatCounts = (columns: ReadonlyArray<Column>): string => {
  const groups = new Set(
    columns.flatMap(({ report }) => [...report.passed, ...report.failed, ...report.skipped].map(({ group }) => group))
  )
  return table(
    ["Cases that passed", ...columns.map(({ adapter }) => adapter.name)],
    [
      ...[...groups].map((group) => [group, ...columns.map(({ report }) => countOf(report, group))]),
      ["**all**", ...columns.map(({ report }) => countOf(report))]
    ]
  )
}
