import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { parseSync } from "vite"

const packages = fileURLToPath(new URL("../../", import.meta.url))

const sources = ["core/src", "adapters/src", "http/src"].flatMap((folder) =>
  readdirSync(join(packages, folder), { recursive: true, withFileTypes: true })
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
)

/** The literals of a file, and whether it makes patterns of texts too. */
const patternsIn = (file: string) => {
  const literals: Array<RegExp> = []
  let makesSome = false
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    if ("regex" in node) {
      const { flags, pattern } = node.regex as { readonly pattern: string; readonly flags: string }
      literals.push(new RegExp(pattern, flags))
    }
    if ("callee" in node) makesSome ||= (node.callee as { readonly name?: string }).name === "RegExp"
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, readFileSync(file, "utf8")).program)
  return { literals, makesSome }
}

/** The patterns that a file makes of texts when it is loaded. */
const madeIn = async (file: string): Promise<ReadonlyArray<RegExp>> => {
  const made: Array<RegExp> = []
  const { RegExp: original } = globalThis
  globalThis.RegExp = new Proxy(original, {
    construct: (target, parameters) => {
      const pattern: RegExp = Reflect.construct(target, parameters)
      made.push(pattern)
      return pattern
    }
  })
  try {
    await import(/* @vite-ignore */ `${pathToFileURL(file)}?patterns`)
  } finally {
    globalThis.RegExp = original
  }
  return made
}

const characters = [
  ...Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)),
  ..."\u0301\u061c\u115f\u2003\u2028\u202e\u200b\u3000\u{1d173}\u{1f600}",
  "\ud800"
]

const atom = /\[(?:\\.|[^\]\\])*\]|\\(?:[pu]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[^bB\d])|[^\\()|*+?{}^$[\]]/giu

/** A character of each kind that a pattern tells apart, one of none, and its words. */
const partsOf = ({ flags, source }: RegExp): ReadonlyArray<string> => {
  const kinds = [...new Set(source.match(atom))].map((kind) => new RegExp(`^${kind}$`, flags.replace(/[gy]/g, "")))
  const found = new Map(
    characters.toReversed().map((text) => [kinds.map((kind) => kind.test(text)).join(), text] as const)
  )
  return [...found.values(), ...(source.match(/[a-z]{2,}/gi) ?? [])]
}

const repeated = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length))

type Text = (length: number) => string

const pairs = (parts: ReadonlyArray<string>): ReadonlyArray<Text> =>
  parts.flatMap((one) =>
    parts.flatMap(
      (other): ReadonlyArray<Text> => [
        (length) => one + repeated(other, length),
        (length) => repeated(one, length) + other,
        (length) => repeated(one + other, length)
      ]
    )
  )

/** Milliseconds of the processor that a pattern takes for a text, at best. */
const timeOf = (pattern: RegExp, text: string, times: number): number => {
  const each = Array.from({ length: times }, () => {
    const began = process.threadCpuUsage()
    pattern.lastIndex = 0
    pattern.exec(text)
    const { system, user } = process.threadCpuUsage(began)
    return (user + system) / 1_000
  })
  return Math.min(...each)
}

const kilobyte = 1_024

/** Whether a pattern takes so much more for a text that is longer that its time does not grow as the text does. */
const isSuperlinear = (pattern: RegExp, text: Text, short: number, long: number): boolean => {
  // What is exponential, or a cube, would not end.
  if (timeOf(pattern, text(26), 3) > 20 || timeOf(pattern, text(kilobyte), 1) > 100) return true
  // A square of 16,384 takes several times as long on the fastest machine.
  if (timeOf(pattern, text(long), 1) < 10) return false
  const least = timeOf(pattern, text(long), 3)
  // For as long as the longer text takes, so that other work on the machine slows both.
  return least > 10 && least > (long / short) ** 1.5 * timeOf(pattern, text(short), 12)
}

/** The beginning of a text for which a pattern takes more than linear time; undefined if none was found. */
const slowText = (pattern: RegExp): string | undefined => {
  const parts = partsOf(pattern)
  const text =
    pairs(parts).find((made) => isSuperlinear(pattern, made, 4 * kilobyte, 16 * kilobyte)) ??
    parts
      .map(
        (part): Text =>
          (length) =>
            repeated(part, length)
      )
      .find((made) => isSuperlinear(pattern, made, 16 * kilobyte, 256 * kilobyte))
  return text?.(12)
}

describe("given texts of 16 KB of what a pattern tells apart, and of 256 KB as bodies can have", () => {
  it("then no pattern of the sources takes more than linear time", async () => {
    const slow: Array<string> = []
    for (const file of sources) {
      const { literals, makesSome } = patternsIn(file)
      for (const pattern of [...literals, ...(makesSome ? await madeIn(file) : [])]) {
        const text = slowText(pattern)
        if (text !== undefined) slow.push(`${relative(packages, file)}: ${pattern} for ${JSON.stringify(text)}`)
      }
    }
    assert.deepStrictEqual(slow, [])
  })

  it("then those are found that take a square of it", () => {
    const found = [/[ \t,]+$/, /\/\/.*@/].filter((pattern) => slowText(pattern) === undefined)
    assert.deepStrictEqual(found, [])
  })
})
