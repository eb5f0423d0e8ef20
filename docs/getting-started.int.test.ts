import { execFile, spawn } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const run = promisify(execFile)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const guide = await readFile(join(root, "docs", "getting-started.md"), "utf8")
const blocks = (language: string): ReadonlyArray<string> =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text)

const [first = "", onSqlite = "", onServer = ""] = blocks("ts")
const opening = /^[\s\S]*\nconst petstore = .*\n/
const rest = first.replace(opening, "")
const programs = { memory: first, sqlite: onSqlite + rest, server: onServer + rest }
const outputs = blocks("text")

const withoutImports = (program: string) => program.split("\n").filter((line) => !line.startsWith("import "))

const source = "--conditions=@petstore/source"
const program = join(root, "packages", "http", "src", "cli", "main.ts")

describe("docs/getting-started.md", () => {
  // The program is inside the repository, so that it finds the packages. Its data is elsewhere.
  const workshop = join(root, "docs", ".snippets", `started-${process.pid}`)
  const file = join(workshop, "shop.ts")
  let cwd = ""
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), "petstore-started-"))
    await mkdir(workshop, { recursive: true })
  })
  afterAll(() => Promise.all([cwd, workshop].map((folder) => rm(folder, { recursive: true, force: true }))))

  const outputOf = async (program: string): Promise<string> => {
    await writeFile(file, program)
    return (await run(process.execPath, [source, file], { cwd, timeout: 60_000 })).stdout
  }

  it("changes one line beside the imports between its programs", () => {
    const memory = withoutImports(programs.memory)
    for (const other of [programs.sqlite, programs.server].map(withoutImports)) {
      assert.strictEqual(other.length, memory.length)
      assert.strictEqual(other.filter((line, index) => line !== memory[index]).length, 1)
    }
  })

  it("shows what each program prints", async () => {
    assert.strictEqual(await outputOf(programs.memory), outputs[0])
    assert.strictEqual(await outputOf(programs.memory), outputs[0])
    await outputOf(programs.sqlite)
    assert.strictEqual(await outputOf(programs.sqlite), outputs[1])

    const [, adminKey = ""] = /^PETSTORE_ADMIN_KEY=(\S+) npx --no petstore serve$/m.exec(guide) ?? []
    const server = spawn(process.execPath, [source, program, "serve"], {
      cwd,
      env: { ...process.env, PETSTORE_ADMIN_KEY: adminKey, PORT: "0" },
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 60_000,
      killSignal: "SIGKILL"
    })
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let said = ""
        server.stderr.setEncoding("utf8").on("data", (text) => {
          said += text
          const [, url] = /listening on ([^\s"]+)/.exec(said) ?? []
          if (url !== undefined) resolve(url)
        })
        server.once("close", () => reject(new Error(said)))
      })
      const program = programs.server.replace("http://127.0.0.1:8080/v1", url)
      assert.notStrictEqual(program, programs.server)
      assert.strictEqual(await outputOf(program), outputs[2])
    } finally {
      server.kill("SIGTERM")
    }
  })
})
