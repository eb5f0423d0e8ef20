// Writes docs/specification.md: npm run specification [-- --from specification.md]
// --from prints what no literal quotes of a specification, which is not part of this repository.
import { readFile, writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { sections } from "./literals.ts"
import { documentFile, page, problemsOf, unquoted } from "./page.ts"

const { values } = parseArgs({ options: { from: { type: "string" } } })

const missing = values.from === undefined ? [] : unquoted(await readFile(values.from, "utf8"))
const problems = [...problemsOf(sections), ...missing.map((sentence) => `no literal quotes: ${sentence}`)]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else await writeFile(documentFile, page())
