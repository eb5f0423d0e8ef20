/** Measures the packages as a developer meets them, and prints tables: `npm run figures`. */
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { attempt, run } from "../packages/test/support/command.ts"
import { importTimes } from "../packages/test/support/importTimes.ts"
import { loadedBy } from "../packages/test/support/loaded.ts"
import { install, required } from "../packages/test/support/pack.ts"
import { withProject } from "../packages/test/support/withProject.ts"
import { entries, folders, manifestOf, optionalPeers, root } from "../packages/test/support/workspace.ts"

const kibibytes = (bytes: number): number => Math.round(bytes / 1024)
const seconds = (ms: number): number => Number((ms / 1000).toFixed(2))

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The files under a folder, and their bytes. */
const sizeOf = async (folder: string) => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    found
      .filter((entry) => entry.isFile())
      .map(async ({ name, parentPath }) => (await stat(join(parentPath, name))).size)
  )
  return { files: sizes.length, KiB: kibibytes(sizes.reduce((sum, size) => sum + size, 0)) }
}

/** What npm calls the tarball of a package, without its version. */
const tarballName = (name: string): string => name.replace("@", "").replace("/", "-")

const tarballSizes = (project: string, tarballs: ReadonlyArray<string>) =>
  Promise.all(
    folders.map(async (folder) => {
      const { name, version } = manifestOf(folder)
      const tarball = tarballs.find((path) => path.endsWith(`${tarballName(name)}-${version}.tgz`)) ?? ""
      const { KiB, files } = await sizeOf(join(project, "node_modules", name))
      return { package: name, "tarball KiB": kibibytes((await stat(tarball)).size), "unpacked KiB": KiB, files }
    })
  )

const installSizes = async (folder: string, project: string, tarballs: ReadonlyArray<string>) => {
  const rows = [{ installed: "the packages and effect", ...(await sizeOf(join(project, "node_modules"))) }]
  for (const [name, versions] of Object.entries(optionalPeers)) {
    const place = join(folder, `with-${name.replaceAll(/\W/g, "-")}`)
    await install(place, [...tarballs, ...required, `${name}@${versions}`])
    rows.push({ installed: `and ${name}`, ...(await sizeOf(join(place, "node_modules"))) })
  }
  const core = join(folder, "core-alone")
  await install(core, [...tarballs.filter((path) => path.includes("petstore-core-")), ...required])
  rows.unshift({ installed: "core and effect", ...(await sizeOf(join(core, "node_modules"))) })
  return rows
}

const firstPet = `
  import { sqlite } from "@petstore/adapters/sqlite"
  import { createPetstore } from "@petstore/core"
  const petstore = await createPetstore({ storage: sqlite("petstore.db") })
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  await petstore.pets.create({ name: "Tom", categoryId })
  await petstore.close()`

/** From an empty folder to the first pet; packages that npm has fetched before come from its cache. */
const timeToFirstPet = async (folder: string, tarballs: ReadonlyArray<string>) => {
  const place = join(folder, "first-pet")
  const program = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", firstPet]
  const installing = await timed(() => install(place, [...tarballs, ...required]))
  const running = await timed(() => run(process.execPath, program, { cwd: place }))
  return {
    "npm install s": seconds(installing),
    "program s": seconds(running),
    "both s": seconds(installing + running)
  }
}

const imports = async (project: string) => {
  const effect = await loadedBy(project, "effect")
  const times = await importTimes(project, entries)
  return Promise.all(
    times.map(async ({ entry, ms, ratio }) => {
      const { bytes, files } = await loadedBy(project, entry)
      return {
        entry,
        modules: files,
        "bytes to effect": Number((bytes / effect.bytes).toFixed(2)),
        ms,
        "ms to effect": ratio
      }
    })
  )
}

/** Runs tests, and returns how many pass. */
const passing = async (folder: string, tests: string, ...args: ReadonlyArray<string>) => {
  const report = join(folder, "report.json")
  const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json", `--outputFile=${report}`]
  await attempt(process.execPath, [...vitest, ...args], { cwd: root })
  const { numPassedTests, numTotalTests } = JSON.parse(await readFile(report, "utf8"))
  return { tests, passed: numPassedTests, of: numTotalTests }
}

await withProject(async ({ folder, project, tarballs }) => {
  console.table(await tarballSizes(project, tarballs))
  console.table(await installSizes(folder, project, tarballs))
  console.table([await timeToFirstPet(folder, tarballs)])
  console.table(await imports(project))
  console.table([
    await passing(folder, "the packages as they install", "--project=packages"),
    await passing(folder, "mounts in other servers", "--project=integration", "packages/http/test/mounts")
  ])
})
