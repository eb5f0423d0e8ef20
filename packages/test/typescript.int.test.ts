import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { attempt, run } from "./support/command.ts"
import { compiler, noOlderCompiler, olderCompiler } from "./support/compilers.ts"
import { installed } from "./support/installed.ts"
import { entries, root } from "./support/workspace.ts"

const { project } = await installed()

const withoutDom = ["ES2024", "ESNext.Disposable"]

/** The options of every consumer here. Libraries are checked too, so that a wrong declaration of ours is found. */
const strict = {
  strict: true,
  target: "ES2024",
  lib: [...withoutDom, "DOM"],
  types: ["node"],
  skipLibCheck: false,
  noEmit: true,
  allowImportingTsExtensions: true
}

const nodeNext = { module: "NodeNext" }

/** Options that reject more, and change nothing else: each finds what it finds beside the others, too. */
const stricter = {
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  isolatedModules: true,
  verbatimModuleSyntax: true
}

/** Several threads check the same libraries several times. */
const oneThread = ["--singleThreaded"]

/** Compiles files of the project with these options, and returns the output of the compiler. */
const compile = async (tsc: string, name: string, compilerOptions: object, files: ReadonlyArray<string>) => {
  const config = join(project, `tsconfig.${name.replaceAll(/\W/g, "-")}.json`)
  await writeFile(config, JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, files }))
  const args = [tsc, "--project", config, "--pretty", "false", ...(tsc === compiler ? oneThread : [])]
  const { stdout } = await attempt(process.execPath, args, { cwd: project })
  return stdout
}

/** Exports every value of every entry and the result of every function, as a library that passes them on does. */
const everything = async (): Promise<string> => {
  const program = `const names = async (entry) => [entry, Object.keys(await import(entry))]
    console.log(JSON.stringify(await Promise.all(${JSON.stringify(entries)}.map(names))))`
  const stdout = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: project })
  const exported: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = JSON.parse(stdout)
  const lines = exported.flatMap(([entry, names], index) => [
    `import * as from${index} from ${JSON.stringify(entry)}`,
    ...names.map((name) => `export const of${index}_${name} = passOn(from${index}.${name})`)
  ])
  return ["declare const passOn: <F>(it: F) => F extends (...args: never) => infer A ? [F, A] : F", ...lines].join("\n")
}

beforeAll(async () => {
  await mkdir(join(project, "node_modules/@types"), { recursive: true })
  for (const name of ["@types/node", "undici-types"]) {
    await symlink(join(root, "node_modules", name), join(project, "node_modules", name)).catch(() => {})
  }
  await writeFile(join(project, "everything.ts"), await everything())
})

const programs = ["story.ts", "sqlite.ts", "inferred.ts"]

const declarations = { ...nodeNext, noEmit: false, declaration: true, emitDeclarationOnly: true }

describe("given a project that is compiled with TypeScript 7", () => {
  it("when it is set to moduleResolution bundler, then programs of all packages compile", async () => {
    const options = { module: "ESNext", moduleResolution: "bundler" }
    assert.strictEqual(await compile(compiler, "bundler", options, programs), "")
  })

  it("when it is set to module Node20 and all that is stricter, and has no DOM, then only the names that Effect itself takes from it are missing", async () => {
    const said = await compile(compiler, "no DOM", { module: "Node20", ...stricter, lib: withoutDom }, programs)
    assert.deepStrictEqual(
      said.split("\n").filter((line) => line !== "" && !line.startsWith("node_modules/effect/dist/")),
      []
    )
  })

  it("when it is set to module NodeNext and emits declarations, then all programs compile, one of CommonJS too, and every type has a name", async () => {
    const options = { ...declarations, outDir: "declarations" }
    const files = [...programs, "everything.ts", "required.cts"]
    assert.strictEqual(await compile(compiler, "declarations", options, files), "")
    const declared = await readFile(join(project, "declarations/inferred.d.ts"), "utf8")
    assert.include(declared, "Versioned")
  })
})

const skipped = noOlderCompiler === undefined ? "" : ` (skipped: ${noOlderCompiler})`

describe.skipIf(noOlderCompiler !== undefined)(`given a project that is compiled with TypeScript 5.9${skipped}`, () => {
  it("when it emits declarations, then all programs compile and every type has a name", async () => {
    const options = { ...declarations, exactOptionalPropertyTypes: true, outDir: "older-declarations" }
    const files = [...programs, "everything.ts", "required.cts"]
    assert.strictEqual(await compile(olderCompiler, "older", options, files), "")
  })
})
