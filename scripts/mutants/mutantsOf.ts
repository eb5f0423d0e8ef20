import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { closeMutants } from "./closeMutants.ts"
import { lockMutants } from "./lockMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { helpersOf, orderMutants } from "./orderMutants.ts"
import { isNode, parse } from "./syntax.ts"

/** The sources of a folder of core, by their paths in the repository; tests are none. */
const sourcesIn = async (repository: string, folder: string): Promise<ReadonlyArray<readonly [string, string]>> => {
  const directory = join("packages/core/src", folder)
  const names = await readdir(join(repository, directory), { recursive: true })
  const sources = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts")).toSorted()
  return Promise.all(
    sources.map(async (name) => {
      const file = join(directory, name)
      return [file, await readFile(join(repository, file), "utf8")] as const
    })
  )
}

/** Every mutant of core: of the locks of its use cases, and of the waits when it closes. */
export const mutantsOf = async (repository: string): Promise<ReadonlyArray<Mutant>> => {
  const services = await sourcesIn(repository, "services")
  const roots = new Map(services.map(([file, text]) => [file, parse(file, text)]))
  // Use cases call what locks in their own file. Elsewhere the same name may mean something else.
  const helpersIn = (file: string) => helpersOf([roots.get(file)].filter(isNode))
  // Verification and lists of events take no locks: they only read, in any order.
  const locking = services.filter(([file]) => !/\/(?:verification\/|listEvents\.ts$)/.test(file))
  const closing = [...(await sourcesIn(repository, "adapter-toolkit")), ...(await sourcesIn(repository, "petstore"))]
  return [
    ...services.flatMap(([file, text]) => lockMutants(file, text)),
    ...locking.flatMap(([file, text]) => orderMutants(file, text, helpersIn(file))),
    ...closing.flatMap(([file, text]) => closeMutants(file, text))
  ]
}
