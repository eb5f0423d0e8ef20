import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { documentText } from "./documentText.ts"
import { openApiDocument } from "./openApiDocument.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const spectral = join(root, "tools/node_modules/@stoplight/spectral-cli/dist/index.js")
const redocly = join(root, "node_modules/@redocly/cli/bin/cli.js")

/** The output of a linter, whether it finds problems or not. */
const output = (program: string, ...parameters: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    execFile(process.execPath, [program, ...parameters], { cwd: root, env, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve(stdout)
    )
  })

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "petstore-openapi-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const save = async (name: string, text: string): Promise<string> => {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

interface Finding {
  readonly code: string
  readonly message: string
  readonly source: string
}

/** Parses the list in the output, which a linter may begin with a greeting. */
const jsonIn = <A>(text: string): A => JSON.parse(text.slice(text.search(/^[[{]/m), text.search(/[\]}][^\]}]*$/) + 1))

const lintWithSpectral = async (ruleset: string, files: Iterable<string>): Promise<ReadonlyArray<Finding>> =>
  jsonIn(await output(spectral, "lint", "--ruleset", ruleset, "--format", "json", "--quiet", ...files))

describe("the document under Redocly", () => {
  const lint = async (file: string) =>
    jsonIn<{ readonly totals: unknown; readonly problems: ReadonlyArray<{ readonly ruleId: string }> }>(
      await output(redocly, "lint", file, "--config", "redocly.yaml", "--format", "json")
    )

  for (const version of ["3.0", "3.1"] as const) {
    it(`given the document in ${version}, when it is linted, then there are no errors and no warnings`, async () => {
      const { problems, totals } = await lint(await save(`${version}.yaml`, documentText("yaml", {}, version)))
      assert.deepEqual(problems, [])
      assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
    })
  }

  it("given webhooks without a summary, without responses and of an unknown schema, when they are linted, then each is found", async () => {
    const document: Json = JSON.parse(JSON.stringify(openApiDocument()))
    const { "pet.created": first, "pet.updated": second, "pet.deleted": third } = document["x-webhooks"] ?? {}
    delete first?.post?.summary
    delete second?.post?.responses
    Object.assign(third?.post?.requestBody?.content?.["application/json"]?.schema ?? {}, { $ref: "#/x" })
    const { problems } = await lint(await save("webhooks.json", JSON.stringify(document)))
    assert.includeMembers(
      problems.map(({ ruleId }) => ruleId),
      ["operation-summary", "struct", "no-unresolved-refs"]
    )
  })

  it("given an operation with an unknown security scheme, when it is linted, then that is found", async () => {
    const document = JSON.stringify(openApiDocument()).replace('"security":[{"apiKey":[]}]', '"security":[{"key":[]}]')
    const { problems } = await lint(await save("redocly.json", document))
    assert.deepEqual(
      problems.map(({ ruleId }) => ruleId),
      ["security-defined"]
    )
  })
})

type Json = { [key: string]: Json }

/** Changes that break one operation, with the rule that must find each. */
const broken: ReadonlyArray<readonly [what: string, rule: string, path: string, change: (operation: Json) => void]> = [
  [
    "deprecated without a sunset date",
    "deprecation-extensions",
    "/pets/{petId}",
    (get) => delete get["x-deprecated-sunset"]
  ],
  [
    "sunset dates that differ",
    "deprecation-extensions",
    "/pets/{petId}",
    (get) => Object.assign(get, { "x-sunset": "2031-01-01" })
  ],
  [
    "an invalid sunset date",
    "deprecation-extensions",
    "/pets/{petId}",
    (get) => Object.assign(get, { "x-sunset": "2030-13-05", "x-deprecated-sunset": "2030-13-05" })
  ],
  [
    "a sunset date without deprecated",
    "deprecation-extensions",
    "/pets",
    (get) => Object.assign(get, { "x-sunset": "2030-12-05" })
  ],
  [
    "a deprecation removed without its sunset date",
    "deprecation-extensions",
    "/pets/{petId}",
    (get) => delete get.deprecated
  ],
  ["deprecated without 410", "deprecation-extensions", "/pets/{petId}", (get) => delete get.responses?.["410"]],
  [
    "a response without the header Sunset",
    "deprecation-extensions",
    "/pets/{petId}",
    (get) => delete get.responses?.["404"]?.headers?.Sunset
  ],
  ["deprecated for people only", "deprecation-extensions", "/pets/{petId}", (get) => delete get["x-scalar-stability"]],
  ["an unknown stability", "stability-extensions", "/session", (get) => Object.assign(get, { "x-stability": "alpha" })],
  [
    "stabilities that differ",
    "stability-extensions",
    "/session",
    (get) => Object.assign(get, { "x-stability-level": "stable" })
  ],
  ["a stability under one name only", "stability-extensions", "/session", (get) => delete get["x-scalar-stability"]],
  ["a stability without a badge", "stability-extensions", "/session", (get) => delete get["x-badges"]],
  [
    "a badge without a stability",
    "stability-extensions",
    "/pets",
    (get) => Object.assign(get, { "x-badges": [{ name: "Beta" }] })
  ],
  [
    "a level without a stability",
    "stability-extensions",
    "/pets",
    (get) => Object.assign(get, { "x-stability-level": "beta" })
  ],
  ["try-out off under one name only", "try-out-extensions", "/store/orders", (get) => delete get["x-explorer-enabled"]],
  ["try-out set to on", "try-out-extensions", "/pets", (get) => Object.assign(get, { "x-hideTryItPanel": false })],
  [
    "a webhook without its stability under one name",
    "stability-extensions",
    "pet.created",
    (post) => delete post["x-scalar-stability"]
  ],
  ["a webhook that requires a key", "operation-scopes", "pet.created", (post) => delete post.security],
  ["a key without scopes", "operation-scopes", "/pets", (get) => delete get["x-required-scopes"]],
  ["scopes without a key", "operation-scopes", "/pets", (get) => Object.assign(get, { security: [] })]
]

describe("the document under Spectral", () => {
  const missing = existsSync(spectral) ? undefined : "Spectral is not installed: npm ci --prefix tools"
  const found = new Map<string, Array<string>>()

  beforeAll(async () => {
    if (missing !== undefined) return
    const names = new Map<string, string>()
    for (const [what, , path, change] of broken) {
      const { paths, "x-webhooks": webhooks, ...rest } = openApiDocument()
      const item: Json = JSON.parse(JSON.stringify(paths[path] ?? webhooks[path]))
      change(item.get ?? item.post ?? {})
      const parts =
        paths[path] === undefined ? { paths: {}, "x-webhooks": { [path]: item } } : { paths: { [path]: item } }
      names.set(await save(`${names.size}.json`, JSON.stringify({ ...rest, ...parts })), what)
      found.set(what, [])
    }
    for (const { code, source } of await lintWithSpectral("tools/spectral/extensions.yaml", names.keys())) {
      found.get(names.get(source) ?? "")?.push(code)
    }
  })

  for (const version of ["3.0", "3.1"] as const) {
    it(`given the document in ${version}, when it is linted, then there are no errors, warnings or hints`, async ({
      skip
    }) => {
      skip(missing !== undefined, missing)
      const file = await save(`spectral-${version}.yaml`, documentText("yaml", {}, version))
      assert.deepEqual(await lintWithSpectral(".spectral.yaml", [file]), [])
    })
  }

  for (const [what, rule] of broken) {
    it(`given ${what}, when it is linted, then only ${rule} finds it`, ({ skip }) => {
      skip(missing !== undefined, missing)
      assert.deepEqual([...new Set(found.get(what))], [rule])
    })
  }
})
