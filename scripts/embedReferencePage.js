/**
 * Puts the files of the reference page into modules, one each, and lets what is published load them. Every bundler
 * includes modules; files beside a module are included by some, refused by others (CSS by Turbopack) and left out by the rest.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"

const page = new URL("../packages/http/reference-page/", import.meta.url)
const dist = new URL("../packages/http/dist/server/routes/", import.meta.url)

/** @param {URL} folder */
const filesOf = async (folder) =>
  (await readdir(folder)).filter((name) => /\.(?:html|css|js)$/.test(name)).map((name) => ({ name, folder }))

const files = [...(await filesOf(page)), ...(await filesOf(new URL("vendor/", page)))]

await mkdir(new URL("reference-page/", dist), { recursive: true })
for (const { folder, name } of files) {
  const text = await readFile(new URL(name, folder), "utf8")
  await writeFile(new URL(`reference-page/${name}.js`, dist), `export default ${JSON.stringify(text)};\n`)
}

const loaders = files.map(({ name }) => `  "${name}": () => import("./reference-page/${name}.js"),`)
await writeFile(
  new URL("referencePageText.js", dist),
  `// Made by scripts/embedReferencePage.js.
const texts = {
${loaders.join("\n")}
};
export const referencePageText = async (name) => (await texts[name]()).default;
`
)
await rm(new URL("referencePageText.js.map", dist), { force: true })
