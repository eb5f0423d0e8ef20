// Copies the parts of Swagger UI that the reference page needs into the package that serves it: a dependency on
// swagger-ui-dist would bring install telemetry to every user. It is part of the build, so it runs on any Node.js version.
import { mkdir, readFile, writeFile } from "node:fs/promises"

const source = new URL("./", import.meta.resolve("swagger-ui-dist/package.json"))
const target = new URL("../packages/http/reference-page/vendor/", import.meta.url)

const files = ["LICENSE", "NOTICE", "swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"]

/** @param {string} name */
const copyIfChanged = async (name) => {
  const wanted = await readFile(new URL(name, source))
  const present = await readFile(new URL(name, target)).catch(() => undefined)
  if (!present?.equals(wanted)) await writeFile(new URL(name, target), wanted)
}

await mkdir(target, { recursive: true })
await Promise.all(files.map(copyIfChanged))
