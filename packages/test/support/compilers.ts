import { existsSync } from "node:fs"
import { join } from "node:path"
import { root } from "./workspace.ts"

/** The path of the compiler of this project, TypeScript 7. */
export const compiler = join(root, "node_modules/typescript/bin/tsc")

/** The path of TypeScript 5.9, which many consumers still have, and which the generators of clients want. */
export const olderCompiler = join(root, "tools/node_modules/typescript/bin/tsc")

/** Why nothing can be compiled with it; undefined if it is installed. */
export const noOlderCompiler: string | undefined = existsSync(olderCompiler)
  ? undefined
  : "TypeScript 5.9 is not installed: npm ci --prefix tools"
