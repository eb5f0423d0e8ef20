import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { run } from "./command.ts"
import { folders, manifestOf, root } from "./workspace.ts"

const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]

/** Builds the packages. */
export const build = (): Promise<string> => run("npm", ["run", "--silent", "build"], { cwd: root })

/** Packs the packages, which are built, into a folder, and returns the paths of the tarballs. */
export const pack = async (to: string): Promise<ReadonlyArray<string>> => {
  await mkdir(to, { recursive: true })
  const workspaces = folders.map((folder) => `--workspace=packages/${folder}`)
  await run("npm", ["pack", ...quiet, ...workspaces, `--pack-destination=${to}`], { cwd: root })
  return (await readdir(to)).map((file) => join(to, file))
}

/** What a developer installs with the packages: the peers that all of them need. */
export const required: ReadonlyArray<string> = [`effect@${manifestOf("core").peerDependencies.effect}`]

/** Makes a project, and installs the packages into it as a developer would. */
export const install = async (project: string, packages: ReadonlyArray<string>): Promise<void> => {
  await mkdir(project, { recursive: true })
  await writeFile(
    join(project, "package.json"),
    '{ "name": "shop", "version": "1.0.0", "private": true, "type": "module" }'
  )
  await run("npm", ["install", ...quiet, "--prefer-offline", ...packages], { cwd: project })
}
