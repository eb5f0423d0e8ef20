/**
 * Puts the files of the pages that a server has into modules, one each, and lets what is published load them. Every bundler
 * includes modules; files beside a module are included by some, refused by others (CSS by Turbopack) and left out by the rest.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"

const source = new URL("../packages/http/", import.meta.url)
const dist = new URL("../packages/http/dist/server/routes/", import.meta.url)

/** @param {URL} folder */
const filesOf = async (folder) =>
  (await readdir(folder)).filter((name) => /\.(?:html|css|js)$/.test(name)).map((name) => ({ name, folder }))

/**
 * @param {string} page its folder beside the modules
 * @param {string} loader the function and the module that load its files
 * @param {ReadonlyArray<string>} folders where its files are
 */
const embed = async (page, loader, folders) => {
  const files = (await Promise.all(folders.map((folder) => filesOf(new URL(folder, source))))).flat()
  await mkdir(new URL(`${page}/`, dist), { recursive: true })
  for (const { folder, name } of files) {
    const text = await readFile(new URL(name, folder), "utf8")
    await writeFile(new URL(`${page}/${name}.js`, dist), `export default ${JSON.stringify(text)};\n`)
  }
  const loaders = files.map(({ name }) => `  "${name}": () => import("./${page}/${name}.js"),`)
  await writeFile(
    new URL(`${loader}.js`, dist),
    `// Made by scripts/embedPages.js.
const texts = {
${loaders.join("\n")}
};
export const ${loader} = async (name) => (await texts[name]()).default;
`
  )
  await rm(new URL(`${loader}.js.map`, dist), { force: true })
}

await embed("reference-page", "referencePageText", ["reference-page/", "reference-page/vendor/"])
await embed("console", "consoleText", ["console/dist/"])
