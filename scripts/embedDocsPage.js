/**
 * Puts the files of the docs page into modules, one each, and lets what is published load them. Modules are what every
 * bundler takes along; files beside a module are taken by some, refused by others (CSS by Turbopack) and lost by the rest.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"

const page = new URL("../packages/http/docs-page/", import.meta.url)
const dist = new URL("../packages/http/dist/docs/", import.meta.url)

/** @param {URL} folder */
const filesOf = async (folder) =>
  (await readdir(folder)).filter((name) => /\.(?:html|css|js)$/.test(name)).map((name) => ({ name, folder }))

const files = [...(await filesOf(page)), ...(await filesOf(new URL("vendor/", page)))]

await mkdir(new URL("texts/", dist), { recursive: true })
for (const { folder, name } of files) {
  const text = await readFile(new URL(name, folder), "utf8")
  await writeFile(new URL(`texts/${name}.js`, dist), `export default ${JSON.stringify(text)};\n`)
}

const loaders = files.map(({ name }) => `  "${name}": () => import("./texts/${name}.js"),`)
await writeFile(
  new URL("docsText.js", dist),
  `// Made by scripts/embedDocsPage.js.
const texts = {
${loaders.join("\n")}
};
export const docsText = async (name) => (await texts[name]()).default;
`
)
await rm(new URL("docsText.js.map", dist), { force: true })
