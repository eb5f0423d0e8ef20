import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { inject } from "vitest"

/** The packages as they are published, installed for the tests of a run. */
export interface Installed {
  /** The tarballs of the packages. */
  readonly tarballs: ReadonlyArray<string>
  /** A project with the packages and all that they require. */
  readonly project: string
  /** The same with the optional peers too. */
  readonly fullProject: string
}

/** The file that says how the installation ended. */
export const outcomeFile = "installed.json"

/** Milliseconds between two looks, and for which it is waited. */
const interval = 100
const patience = 4 * 60_000

/** Waits until the packages are installed. Throws if that has failed. */
export const installed = async (): Promise<Installed> => {
  const file = join(inject("packages"), outcomeFile)
  const deadline = Date.now() + patience
  while (Date.now() < deadline) {
    const text = await readFile(file, "utf8").catch(() => undefined)
    if (text !== undefined) {
      const outcome: Installed | { readonly failure: string } = JSON.parse(text)
      if ("failure" in outcome) throw new Error(`The packages cannot be installed: ${outcome.failure}`)
      return outcome
    }
    await setTimeout(interval)
  }
  throw new Error("The packages were not installed within four minutes.")
}
