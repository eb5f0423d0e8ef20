import { join } from "node:path"
import { inject } from "vitest"
import { bundledPath } from "./bundlePrograms.ts"
import { sharedText } from "./OncePerRun.ts"

const find = (): Promise<string> => {
  const address: string | undefined = inject("programs")
  if (address === undefined) throw new Error("Unit tests start no programs: name the file x.int.test.ts.")
  return sharedText(address)
}

let known: Promise<string> | undefined

const folder = (): Promise<string> => (known ??= find())

/** The bundle of a program that `sharedPrograms.ts` names: it is made of the sources of this run. */
export const bundledProgram = async (source: string): Promise<string> => bundledPath(await folder(), source)

/** What is compiled for a bundled program stays for its next start in this run. */
export const compileCache = async (): Promise<{ readonly NODE_COMPILE_CACHE: string }> => ({
  NODE_COMPILE_CACHE: join(await folder(), "compiled")
})
