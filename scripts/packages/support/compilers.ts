import { existsSync } from "node:fs"
import { join } from "node:path"
import { root } from "./workspace.ts"

/** The path of the compiler of this project, TypeScript 7. */
export const compiler = join(root, "node_modules/typescript/bin/tsc")

const older = join(root, "tools/typescript-5.9/node_modules/typescript/bin/tsc")

/** The path of TypeScript 5.9, which many consumers still have; undefined where it is not installed. */
export const olderCompiler: string | undefined = existsSync(older) ? older : undefined

/** Said where something is skipped for want of it. */
export const noOlderCompiler = "TypeScript 5.9 is not installed: npm ci --prefix tools/typescript-5.9"
