import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundledPath, bundlePrograms } from "../packages/adapters/test/support/bundlePrograms.ts"
import { testDatabase } from "../packages/adapters/test/support/postgres.ts"
import { folders } from "../packages/test/support/workspace.ts"

const run = promisify(execFile)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
// Inside the repository, so that the packages resolve as in an app.
const workshop = join(root, "docs", ".snippets", String(process.pid))

/** Milliseconds after which a program hangs. They take a second or two, and a hundred times as long on a machine that is busy and slow. */
const patience = 240_000

interface Snippet {
  readonly name: string
  readonly code: string
}

/** The snippets of one file. */
interface Page {
  readonly file: string
  readonly snippets: ReadonlyArray<Snippet>
}

/** Whether it works on a database of PostgreSQL, which no other page may use. */
const isOnServer = ({ code }: Snippet): boolean => code.includes("process.env.DATABASE_URL")

/**
 * The docstrings of the sources of a package as one page: most have one small snippet, and a process for each would take many
 * times as long to start as to run.
 */
const together = (pages: ReadonlyArray<Page>): ReadonlyArray<Page> => {
  const alone = pages.filter(({ file, snippets }) => !file.endsWith(".ts") || snippets.some(isOnServer))
  const sources = Map.groupBy(
    pages.filter((page) => !alone.includes(page)),
    ({ file }) => file.slice(0, file.indexOf("/src/") + "/src".length)
  )
  return [
    ...alone,
    ...[...sources].map(([folder, of]) => ({ file: folder, snippets: of.flatMap(({ snippets }) => snippets) }))
  ]
}

/** Runs the snippets of one page in one process, one after the other, each in a folder of its own. */
const runner = `import { mkdirSync } from "node:fs"
import { join } from "node:path"

const cwd = process.cwd()
for (const name of process.argv.slice(2)) {
  mkdirSync(join(cwd, name))
  process.chdir(join(cwd, name))
  await import(\`./\${name}.js\`)
}
`

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Programs read the URL of a database, which the tests provide, where the documentation has an example. */
const withDatabase = (code: string): string =>
  code.replace(/"postgres(?:ql)?:\/\/[^"]*"/g, '(process.env.DATABASE_URL ?? "")')

/** A server listens on a free port, and ends with the program. */
const withFreePort = (code: string): string => code.replace(/\.listen\(\d{4}\)/g, ".listen(0).unref()")

/** Replaces `expression // => value` by an assertion. */
const checked = (code: string): string =>
  code.replace(/^(\S.*?);?[ \t]*\n?[ \t]*\/\/ => (.+)$/gm, (line, expression: string, value: string) =>
    isJson(value) ? `deepStrictEqual(${expression}, ${value})` : line
  )

/** The programs of a text. One with "```ts continued" begins with the first program of its page. */
const pageOf = (file: string, text: string): Page => {
  const source = file.endsWith(".ts") ? text.replace(/^ *\* ?/gm, "") : text
  const programs = [...source.matchAll(/^```ts(| continued)\n([\s\S]*?)^```$/gm)]
  const [[, , first = ""] = []] = programs
  const snippets = programs.map(([, continued, code = ""], index) => ({
    name: `${file.replace(/\W+/g, "-")}-${index + 1}`,
    code: `import { deepStrictEqual } from "node:assert"\n${withFreePort(withDatabase(checked(continued ? `${first}\n${code}` : code)))}\nvoid deepStrictEqual\n`
  }))
  return { file, snippets }
}

const filesIn = async (folder: string, ending: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(root, folder), { recursive: true }))
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules") && !name.endsWith(".test.ts"))
    .map((name) => join(folder, name))

const packages = folders.map((folder) => join("packages", folder))

const collect = async (): Promise<ReadonlyArray<Page>> => {
  const files = [
    "README.md",
    ...(await filesIn("examples", ".md")),
    ...packages.map((folder) => join(folder, "README.md")),
    // The snippets of the API reference are those of the docstrings.
    ...(await filesIn("docs", ".md")).filter((file) => !file.startsWith(join("docs", "api"))),
    ...(await Promise.all(packages.map((folder) => filesIn(join(folder, "src"), ".ts")))).flat()
  ]
  const found = await Promise.all(
    files.map(async (file) => pageOf(relative(root, join(root, file)), await readFile(join(root, file), "utf8")))
  )
  return found.filter(({ snippets }) => snippets.length > 0)
}

describe("the snippets of the documentation", async () => {
  const pages = await collect()
  const snippets = pages.flatMap((page) => page.snippets)

  let bundled: Promise<string> | undefined

  /** All snippets, from the sources of the packages; the folder of the programs. */
  const bundle = async (): Promise<string> => {
    const folder = await bundlePrograms(snippets.map(({ name }) => join(workshop, `${name}.ts`)))
    await writeFile(bundledPath(folder, join(workshop, "run.js")), runner)
    return folder
  }

  const bundledOnce = (): Promise<string> => {
    bundled ??= bundle()
    return bundled
  }

  beforeAll(async () => {
    await mkdir(workshop, { recursive: true })
    const config = {
      extends: "../../../tsconfig.base.json",
      compilerOptions: { noEmit: true, types: ["node"], noUnusedLocals: false, noUnusedParameters: false },
      include: ["*.ts"]
    }
    await writeFile(join(workshop, "tsconfig.json"), JSON.stringify(config))
    await Promise.all(snippets.map(({ name, code }) => writeFile(join(workshop, `${name}.ts`), code)))
  })
  afterAll(async () => {
    await rm(workshop, { recursive: true, force: true })
    await bundled?.then((folder) => rm(folder, { recursive: true, force: true }))
  })

  it("compile without errors", async () => {
    assert.isAbove(snippets.length, 0)
    const tsc = join(root, "node_modules", ".bin", "tsc")
    // Several threads check the same sources several times.
    await run(tsc, ["-p", workshop, "--singleThreaded"]).catch((failure: { readonly stdout: string }) =>
      assert.fail(failure.stdout)
    )
  })

  for (const { file, snippets } of together(pages)) {
    it.concurrent(
      `of ${file} run to their end without an error`,
      async () => {
        const folder = await bundledOnce()
        const cwd = await mkdtemp(join(tmpdir(), "petstore-snippet-"))
        const names = snippets.map(({ name }) => name)
        const program = [bundledPath(folder, join(workshop, "run.js")), ...names]
        const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") }
        const runOn = (url: string) =>
          run(process.execPath, program, { cwd, env: { ...env, DATABASE_URL: url }, timeout: patience }).catch(
            // Contracts write to standard output which case has failed.
            ({ killed, stderr, stdout }) => assert.fail(killed ? `It hangs\n${stdout}` : `${stdout}\n${stderr}`)
          )
        try {
          if (!snippets.some(isOnServer)) await runOn("")
          else
            await Effect.runPromise(
              Effect.scoped(Effect.flatMap(testDatabase, (url) => Effect.promise(() => runOn(url))))
            )
        } finally {
          await rm(cwd, { recursive: true, force: true })
        }
      },
      2 * patience
    )
  }
})
