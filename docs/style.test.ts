import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "./support/markdownFiles.ts"

/** What texts in the source avoid. Guides avoid more: see `words.test.ts`. */
const phrases = /\b(?:for so long|so many|gets|if absent|since then|for a while|whoever|somebody|is told)\b/gi

const comment = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const literal = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** The text without line breaks, and without code in backticks. */
const prose = (text: string): string => text.replace(/\s*\n\s*\*?\s*/g, " ").replace(/`[^`]*`/g, "code")

/** What readers see: docstrings. */
const docstringsOf = (source: string): ReadonlyArray<string> =>
  (source.match(comment) ?? []).filter((text) => text.startsWith("/**")).map(prose)

/** What users see: messages, texts of the REST API, help of commands and labels of the console. */
const textsOf = (source: string): ReadonlyArray<string> =>
  (source.replace(comment, "").match(literal) ?? []).filter((text) => text.includes(" "))

const sourcesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|node_modules|dist/.test(name))
    .map((name) => readFileSync(join(root, folder, name), "utf8"))

const found = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text) => text.match(phrases) !== null)

describe("the texts in the source", () => {
  const product = ["packages/core/src", "packages/adapters/src", "packages/http/src", "packages/http/console"].flatMap(
    sourcesIn
  )

  it("given the docstrings of the product and of the testing kit, then none has a phrase to avoid", () => {
    const docstrings = [...product, ...sourcesIn("packages/core/testing/src")].flatMap(docstringsOf)
    assert.isAbove(docstrings.length, 1_000)
    assert.deepStrictEqual(found(docstrings), [])
  })

  it("given messages, texts of the REST API and help of commands, then none has a phrase to avoid", () => {
    const texts = product.flatMap(textsOf)
    assert.isAbove(texts.length, 1_000)
    assert.deepStrictEqual(found(texts), [])
  })

  it("given a phrase to avoid, then it is found in a docstring over two lines and in a literal, and not in code", () => {
    const source = '/**\n * Waits for\n * a while.\n */\nconst text = "It gets one."\n/** `gets` */\n'
    assert.deepStrictEqual(found([...docstringsOf(source), ...textsOf(source)]), [
      "/** Waits for a while. /",
      '"It gets one."'
    ])
  })
})
