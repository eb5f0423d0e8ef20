import { execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, expect, it } from "vitest"
import { bundledProgram, compileCache } from "../packages/adapters/test/support/bundledProgram.ts"

const run = promisify(execFile)
const here = fileURLToPath(new URL(".", import.meta.url))

/** Milliseconds after which a program hangs. They take a second, and ten times as long on a machine that is busy. */
const patience = 60_000

const folders = (await readdir(here, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .map(({ name }) => name)

const textOf = (...path: ReadonlyArray<string>): Promise<string> => readFile(join(here, ...path), "utf8")

const inFreshFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-example-"))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const programOf = (name: string): Promise<string> => bundledProgram(join(here, name, "main.ts"))

/** What a program prints until it exits. */
const outputOf = (name: string): Promise<string> =>
  inFreshFolder(async (cwd) => {
    const env = { ...process.env, ...(await compileCache()) }
    return (await run(process.execPath, [await programOf(name)], { cwd, env, timeout: patience })).stdout
  })

const request =
  /^ *(?<title>[^\n]*)\n(?<method>[A-Z]+) http:\/\/localhost:3000(?<path>\S*)\n?(?<headers>(?:\S[^\n]*\n?)*)\n*(?<body>.*)$/s

/** Sends one request of a `.http` file, as editors do, and returns the status and body of the response. */
const send = async (origin: string, text: string): Promise<string> => {
  const {
    title = "",
    method = "",
    path = "",
    headers = "",
    body
  } = request.exec(text.trimEnd())?.groups ?? assert.fail(text)
  const response = await fetch(origin + path, {
    method,
    headers: [...headers.matchAll(/^(.+?): (.+)$/gm)].map(([, name = "", value = ""]): [string, string] => [
      name,
      value
    ]),
    ...(body === "" ? {} : { body })
  })
  return `${title === "" ? "" : `\n# ${title}\n`}${method} ${path}\n  ${response.status} ${(await response.text()).trim()}\n`
}

/** What a server prints until it is stopped, and its responses to the requests of its folder. */
const conversationWith = (name: string): Promise<string> =>
  inFreshFolder(async (cwd) => {
    const server = spawn(process.execPath, [await programOf(name)], {
      cwd,
      env: { ...process.env, ...(await compileCache()), PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
      timeout: patience,
      killSignal: "SIGKILL"
    })
    const ended = new Promise<number | null>((resolve) => server.once("close", resolve))
    let printed = ""
    const listening = new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding("utf8").on("data", (text) => {
        printed += text
        const [, port] = /(?:port: |:)(\d{2,5})\b/.exec(printed) ?? []
        if (port !== undefined) resolve(port)
      })
      server.once("close", () => reject(new Error(`It exited before it listened: ${printed}`)))
    })
    try {
      const port = await listening
      let responses = ""
      for (const text of (await textOf(name, "requests.http")).split(/^###/m).slice(1)) {
        responses += await send(`http://127.0.0.1:${port}`, text)
      }
      server.kill("SIGTERM")
      assert.strictEqual(await ended, 0)
      const [opening = "", ...ending] = printed.replace(port, "3000").split(/^/m)
      return `${opening}${responses}\n${ending.join("")}`
    } finally {
      server.kill("SIGKILL")
    }
  })

/** The other folders have tests, which their runners find. */
const programs = folders.filter((name) => existsSync(join(here, name, "main.ts")))

/** Checked before the programs run, since a missing snapshot would be created. */
const withOutput = new Set(programs.filter((name) => existsSync(join(here, name, "output.txt"))))

describe("the examples", () => {
  for (const name of programs) {
    it(`given the example ${name}, when it runs, then it prints its output.txt`, async () => {
      const isServer = existsSync(join(here, name, "requests.http"))
      const output = await (isServer ? conversationWith(name) : outputOf(name))
      await expect(output).toMatchFileSnapshot(join(here, name, "output.txt"))
    })
  }

  for (const name of folders) {
    it(`given the example ${name}, then it is a program with an output.txt, or has tests`, async () => {
      const hasTests = (await readdir(join(here, name), { recursive: true })).some((file) => file.endsWith(".test.ts"))
      assert.isTrue(programs.includes(name) ? withOutput.has(name) : hasTests)
    })

    it(`given the example ${name}, then it has a README.md, and the list of examples has one line about it`, async () => {
      assert.match(await textOf(name, "README.md"), /^# .+\n\n\S/)
      assert.match(await textOf("README.md"), new RegExp(`^- \\[${name}\\]\\(${name}\\): .+\\.$`, "m"))
    })
  }
})
