import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { freePort } from "../adapters/test/support/freePort.ts"
import { run } from "./support/command.ts"
import { installed } from "./support/installed.ts"
import { install, required } from "./support/pack.ts"
import { folders, manifestOf, root } from "./support/workspace.ts"

const verdaccio = join(root, "tools/registry/node_modules/verdaccio/bin/verdaccio")
const missing = existsSync(verdaccio) ? "" : " (skipped: verdaccio is not installed: npm ci --prefix tools/registry)"

interface Step {
  readonly name?: string
  readonly run?: string
}

/** The commands with which a release publishes the packages. */
const publishing = async (): Promise<string> => {
  const workflow = parse(await readFile(join(root, ".github/workflows/release.yml"), "utf8"))
  const steps: ReadonlyArray<Step> = workflow.jobs.publish.steps
  return steps.find(({ name }) => name === "Publish")?.run ?? assert.fail("release.yml has no step Publish")
}

/** A registry of this kind has no other packages, and lets everyone publish. */
const configuration = (storage: string): string => `
storage: ${storage}
uplinks: {}
packages:
  "@petstore/*": { access: $all, publish: $all }
log: { type: stdout, level: warn }
`

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}-/ping`).then(
    ({ ok }) => ok,
    () => false
  )

describe.skipIf(missing !== "")(`given a registry on loopback without packages${missing}`, () => {
  let folder = ""
  let url = ""
  let registry: ChildProcess | undefined

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "petstore-registry-"))
    const { tarballs } = await installed()
    await mkdir(join(folder, "tarballs"))
    for (const tarball of tarballs) await cp(tarball, join(folder, "tarballs", basename(tarball)))
    const port = await freePort()
    url = `http://127.0.0.1:${port}/`
    await writeFile(join(folder, "config.yaml"), configuration(join(folder, "storage")))
    // What the workflow has of setup-node: the registry, and the token of the environment.
    await writeFile(
      join(folder, ".npmrc"),
      `registry=${url}\n//127.0.0.1:${port}/:_authToken=\${NODE_AUTH_TOKEN}\nupdate-notifier=false\n`
    )
    const args = [verdaccio, "--config", join(folder, "config.yaml"), "--listen", `127.0.0.1:${port}`]
    registry = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" })
    while (!(await isUp(url))) {
      if (registry.exitCode !== null) assert.fail(`verdaccio ended with ${registry.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })

  afterAll(async () => {
    registry?.kill()
    if (folder !== "") await rm(folder, { recursive: true, force: true })
  })

  const publish = async (): Promise<string> =>
    run("bash", ["-c", await publishing()], {
      cwd: folder,
      env: {
        NODE_AUTH_TOKEN: "of this test",
        NPM_CONFIG_USERCONFIG: join(folder, ".npmrc"),
        // Otherwise it is that of the npm that runs these tests, which may be silent.
        npm_config_loglevel: "notice"
      }
    })

  it("when the workflow of a release publishes twice, then each package is there once, and a project can install and use them", async () => {
    const published = folders.map(manifestOf).map(({ name, version }) => `+ ${name}@${version}`)
    const lines = (await publish()).split("\n").filter((line) => line.startsWith("+ "))
    assert.sameMembers(lines, published)
    assert.notInclude(await publish(), "+ ")

    const project = join(folder, "project")
    await mkdir(project)
    await writeFile(join(project, ".npmrc"), `@petstore:registry=${url}\n`)
    await install(project, [...folders.map((name) => manifestOf(name).name), ...required])
    await cp(new URL("programs/", import.meta.url), project, { recursive: true })
    const program = ["--disable-warning=ExperimentalWarning", "sqlite.ts", "shop.db"]
    assert.deepStrictEqual(JSON.parse(await run(process.execPath, program, { cwd: project })), {
      complete: true,
      refused: "insufficient_stock",
      ok: true,
      kept: 1
    })
  })
})
