import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type * as Sqlite from "@petstore/adapters/sqlite"
import type * as Core from "@petstore/core"
import type * as CoreEffect from "@petstore/core/effect"
import type * as Effect from "effect/Effect"

/** What contenders use of a checkout, as its build has it. */
export interface Packages {
  readonly core: typeof Core
  readonly coreEffect: typeof CoreEffect
  readonly sqlite: typeof Sqlite
  readonly effect: typeof Effect
}

/** Imports the packages of a checkout that is built. */
export const packagesOf = async (root: string): Promise<Packages> => {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(root, path)).href)
  return {
    core: (await load("packages/core/dist/index.js")) as typeof Core,
    coreEffect: (await load("packages/core/dist/effect.js")) as typeof CoreEffect,
    sqlite: (await load("packages/adapters/dist/sqlite/index.js")) as typeof Sqlite,
    effect: (await load("node_modules/effect/dist/Effect.js")) as typeof Effect
  }
}
