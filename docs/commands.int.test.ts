import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { operations } from "../packages/http/src/api/operations.ts"
import { runPetstore } from "../packages/http/test/support/runPetstore.ts"
import { blocksOf, markdownFiles, root } from "./support/markdownFiles.ts"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly workspaces?: ReadonlyArray<string>
  readonly scripts?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}
const manifest = (...folder: ReadonlyArray<string>): Manifest =>
  JSON.parse(readFileSync(join(root, ...folder, "package.json"), "utf8"))

const { scripts = {}, workspaces = [] } = manifest()
const packages = workspaces.filter((path) => path.startsWith("packages/")).map((path) => manifest(path))

const operationIds = operations.map(({ id }): string => id)

/** The commands of all `sh` blocks, without comments and environment variables. */
const commands = markdownFiles.flatMap(({ path, text }) =>
  blocksOf(text, "sh").flatMap((block) =>
    block
      .replaceAll("\\\n", " ")
      .split(/\n|&&/)
      .map((line) =>
        line
          .replace(/ +#.*$/, "")
          .trim()
          .replace(/^([A-Z_]+=\S+ +)+/, "")
      )
      .filter((command) => command !== "" && !command.startsWith("#"))
      .map((command) => ({ path, command }))
  )
)

const matching = (pattern: RegExp): ReadonlyArray<{ readonly path: string; readonly words: ReadonlyArray<string> }> =>
  commands.flatMap(({ command, path }) => {
    const match = pattern.exec(command)
    return match === null ? [] : [{ path, words: (match[1] ?? "").trim().split(/ +/) }]
  })

describe("the commands in the documentation", () => {
  it("run only npm scripts that exist", () => {
    const named = matching(/^npm (?:run )?([a-z:-]+)/)
    const builtIn = ["ci", "install", "init", "pkg", "pack"]
    const unknown = named.filter(({ words: [word = ""] }) => !builtIn.includes(word) && scripts[word] === undefined)
    assert.isNotEmpty(named)
    assert.deepStrictEqual(unknown, [])
  })

  it("install only packages of this project and their peers, in the declared range", () => {
    const peers = new Map(packages.flatMap(({ peerDependencies = {} }) => Object.entries(peerDependencies)))
    const known = new Set([
      "../petstore/tarballs/*.tgz",
      ...packages.map(({ name }) => name),
      ...[...peers].map((peer) => peer.join("@"))
    ])
    const named = matching(/^npm install (.*)/).flatMap(({ words }) => words)
    assert.isNotEmpty(named)
    assert.deepStrictEqual(
      named.filter((name) => !name.startsWith("--") && !known.has(name)),
      []
    )
  })

  it("use only subcommands and flags of petstore that exist", async () => {
    const named = matching(/^npx --no (?:-- )?petstore (.*)/)
    assert.isNotEmpty(named)
    const subcommandOf = (words: ReadonlyArray<string>) =>
      words[0] === "call" ? "call" : words.filter((word, at) => at < 2 && /^[a-z][a-z-]*$/.test(word)).join(" ")
    const subcommands = new Set(named.map(({ words }) => subcommandOf(words)))
    const helpOf = async (subcommand: string): Promise<readonly [string, string]> => {
      const words = subcommand.split(" ").filter((word) => word !== "")
      const { code, stdout } = await Effect.runPromise(runPetstore([...words, "--help"]))
      assert.strictEqual(code, 0, subcommand)
      const text = stdout.join("\n")
      assert.include(text, `petstore ${subcommand}`.trim())
      return [subcommand, text]
    }
    const helps = new Map(await Promise.all([...subcommands].map(helpOf)))
    for (const { path, words } of named) {
      const subcommand = subcommandOf(words)
      if (subcommand === "call") assert.include(operationIds, words[1], path)
      for (const flag of words.filter((word) => word.startsWith("--"))) {
        assert.include(helps.get(subcommand) ?? "", flag, `${path}: petstore ${words.join(" ")}`)
      }
    }
  })
})
