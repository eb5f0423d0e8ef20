import { existsSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { assert, describe, it } from "vitest"
import { type MarkdownFile, markdownFiles, root, withoutCode } from "./support/markdownFiles.ts"

const linksOf = ({ text }: MarkdownFile): ReadonlyArray<string> => [
  ...Array.from(withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target),
  ...Array.from(withoutCode(text).matchAll(/<(https?:[^>\s]+)>/g), ([, target = ""]) => target)
]

const { homepage } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The files of the repository on the web, for READMEs that are read elsewhere. */
const onTheWeb = `${homepage.replace("#readme", "")}/blob/main/`

const isExternal = (target: string): boolean => /^[a-z]+:/i.test(target)

/** The anchors that GitHub makes for headings; repeated headings get -1, -2 and so on. */
const anchorsOf = ({ text }: MarkdownFile): ReadonlySet<string> => {
  const seen = new Map<string, number>()
  const headings = text.replace(/^(`{3,})[\s\S]*?^\1$/gm, "").matchAll(/^#{1,6} (.+)$/gm)
  return new Set(
    Array.from(headings, ([, heading = ""]) => {
      const slug = heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-")
      const count = seen.get(slug) ?? 0
      seen.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    })
  )
}

const rootReadme: MarkdownFile = { path: "README.md", text: "" }

const files = new Map(markdownFiles.map((file) => [file.path, file]))

const leadsNowhere = (from: MarkdownFile, link: string): boolean => {
  if (link.startsWith(onTheWeb)) return leadsNowhere(rootReadme, link.slice(onTheWeb.length))
  const [target = "", anchor] = link.split("#")
  const path = target === "" ? from.path : posix.normalize(posix.join(dirname(from.path), decodeURI(target)))
  if (path.startsWith("..") || !existsSync(join(root, path))) return true
  if (anchor === undefined) return false
  const file = files.get(path)
  return file === undefined || !anchorsOf(file).has(anchor)
}

const isOnTheWeb = (link: string): boolean => {
  const url = URL.canParse(link) ? new URL(link) : undefined
  return url?.protocol === "https:" && /^[\w-]+(\.[\w-]+)+$/.test(url.hostname) && url.username === ""
}

describe("the links of the documentation", () => {
  it("are found", () => {
    assert.isAbove(markdownFiles.flatMap(linksOf).length, 50)
  })

  for (const file of markdownFiles) {
    it(`of ${file.path} are valid`, () => {
      const links = linksOf(file)
      const broken = links.filter((link) =>
        isExternal(link) && !link.startsWith(onTheWeb) ? !isOnTheWeb(link) : leadsNowhere(file, link)
      )
      assert.deepStrictEqual(broken, [])
    })
  }

  it("are absolute in READMEs of packages, which registries show alone", () => {
    const ofPackages = markdownFiles.filter(({ path }) => /^packages\/(?!test\/)\w+\/README\.md$/.test(path))
    assert.isNotEmpty(ofPackages)
    for (const file of ofPackages)
      assert.deepStrictEqual(
        linksOf(file).filter((link) => !isExternal(link)),
        []
      )
    for (const file of ofPackages)
      assert.isTrue(
        linksOf(file).some((link) => link.startsWith(onTheWeb)),
        file.path
      )
  })

  it("lead from the index to every page, directly or through another page", () => {
    const index = files.get("docs/README.md") ?? assert.fail("there is no index")
    const named = new Set(linksOf(index).map((link) => posix.join("docs", link.split("#")[0] ?? "")))
    const pages = [...files.keys()].filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== index.path)
    assert.deepStrictEqual(
      pages.filter((path) => !named.has(path)),
      []
    )
  })
})
