import { readFile, writeFile } from "node:fs/promises"
import { rowsOf } from "../Comparison.ts"
import { comparisons } from "../comparisons.ts"
import type { Measured } from "../measure.ts"
import { type Reason, reasons } from "../reasons.ts"
import { byHand, oursText, ratiosText } from "./lines.ts"

export const documentFile = new URL("../../../docs/performance.md", import.meta.url)

const heads = ["You do", "Ours", "By hand", "Others"] as const

interface Line {
  readonly title: string
  readonly cells: ReadonlyArray<string>
  /** By which lines are sorted: the worst of its ratios; 1,000 of lines without any. */
  readonly worst: number
}

/** The titles that the document has, in the order of the questions. */
const wantedTitles = (): ReadonlyArray<string> => [
  ...new Set(Object.values(comparisons).flatMap((all) => all.flatMap(rowsOf).map(({ title }) => title)))
]

const reasonNames = Object.keys(reasons) as ReadonlyArray<Reason>
const letterOf = (reason: Reason): string => String.fromCharCode("a".charCodeAt(0) + reasonNames.indexOf(reason))

/** A loss that turns do not explain. */
const loses = ({ ratio }: Measured): boolean => ratio !== undefined && ratio.median < 0.95

const lineOf = (title: string, rows: ReadonlyArray<Measured>): Line => {
  const [first] = rows
  if (first === undefined) return { title, cells: ["–", "", ""], worst: 1_000 }
  const hand = rows.filter(({ peer }) => peer === byHand)
  const others = rows.filter(({ peer }) => peer !== byHand)
  const why = (group: ReadonlyArray<Measured>): string =>
    group.some(loses) && first.why !== undefined ? `*${letterOf(first.why)}*` : ""
  return {
    title,
    cells: [oursText(rows), ratiosText(hand, false) + why(hand), ratiosText(others, true) + why(others)],
    worst: Math.min(1_000, ...rows.flatMap(({ ratio }) => ratio?.median ?? []))
  }
}

/** The ratio by which a line of the document is sorted. */
const worstIn = (cells: ReadonlyArray<string>): number =>
  Math.min(
    1_000,
    ...[...cells.join(" ").matchAll(/\*\*([\d.,]+)\*\*/g)].map(([, text = ""]) => Number(text.replaceAll(",", "")))
  )

/** What the document has between `<!-- generated: NAME -->` and `<!-- end -->`. */
const part = (name: string): RegExp => new RegExp(`(?<=<!-- generated: ${name} -->\\n)[\\s\\S]*?(?=<!-- end -->)`)

/** Without spaces: most cells of a line are short, or empty. */
const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows
    .toSpliced(1, 0, rows[0]?.map(() => "---") ?? [])
    .map((cells) => `|${cells.join("|")}|`)
    .join("\n")

const linesIn = (text: string): ReadonlyArray<Line> =>
  (part("rows").exec(text)?.[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    )
    .map(([title = "", ...cells]) => ({ title, cells, worst: worstIn(cells) }))

/** How the rows of the document differ from those of the questions. */
export const rowProblems = (text: string): ReadonlyArray<string> => {
  const [wanted, found] = [wantedTitles(), linesIn(text).map(({ title }) => title)]
  return [
    ...wanted.filter((title) => !found.includes(title)).map((title) => `docs/performance.md lacks the row ${title}`),
    ...found
      .filter((title) => !wanted.includes(title))
      .map((title) => `No question has the row ${title} of docs/performance.md`)
  ]
}

export const checkDocument = async (): Promise<ReadonlyArray<string>> =>
  rowProblems(await readFile(documentFile, "utf8"))

/** The document with these rows. Lines of which none was measured stay as they are. */
export const filled = (text: string, measured: ReadonlyArray<Measured>, machine: string, date: string): string => {
  const known = new Map(linesIn(text).map((line) => [line.title, line]))
  const lines = wantedTitles().map((title) => {
    const rows = measured.filter((row) => row.title === title)
    return rows.length === 0 ? (known.get(title) ?? lineOf(title, [])) : lineOf(title, rows)
  })
  const oursOf = (title: string) => lines.find((line) => line.title === title)?.cells[0]?.replace(/\/s.*/, "") ?? "–"
  const syncs = ["0.1 ms", "1 ms", "5 ms"]
  const orders = [", 1 connection", ""].map((who) => [
    who === "" ? "64 connections" : who.slice(2),
    ...syncs.map((sync) => oursOf(`order${who}${sync === "1 ms" ? "" : `, ${sync}`}`))
  ])
  const sorted = lines.toSorted((one, other) => one.worst - other.worst)
  const used = reasonNames.filter((reason) =>
    sorted.some(({ cells }) => cells.some((cell) => cell.endsWith(`*${letterOf(reason)}*`)))
  )
  const parts = {
    orders: [tableOf([["A sync takes", ...syncs], ...orders]), `Measured on ${date}, on ${machine}.`],
    rows: [
      tableOf([heads, ...sorted.map(({ cells, title }) => [title, ...cells])]),
      used.map((reason) => `- **${letterOf(reason)}**: ${reasons[reason]}`).join("\n")
    ]
  }
  return Object.entries(parts).reduce(
    (page, [name, texts]) => page.replace(part(name), () => `\n${texts.join("\n\n")}\n\n`),
    text
  )
}

/** Writes these rows into the document. */
export const fillDocument = async (measured: ReadonlyArray<Measured>, machine: string): Promise<void> => {
  const text = await readFile(documentFile, "utf8")
  await writeFile(documentFile, filled(text, measured, machine, new Date().toISOString().slice(0, 10)))
}
