import { existsSync } from "node:fs"
import { join } from "node:path"
import { root } from "./workspace.ts"

const { arch, platform } = process

const places = {
  "Node.js 22": `node-22-${platform}-${arch}/bin/node`,
  "Node.js 26": `node-26-${platform}-${arch}/bin/node`,
  Deno: `@deno/${platform}-${arch}-glibc/deno`,
  Bun: `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}/bin/bun`
}

export type Runtime = keyof typeof places

/** The path of another runtime, if this machine has it. */
export const pathOf = (runtime: Runtime): string | undefined => {
  const path = join(root, "tools/platforms/node_modules", places[runtime])
  return existsSync(path) ? path : undefined
}

/** Why a test is skipped if it is missing. */
export const noRuntime = (runtime: Runtime): string =>
  `${runtime} is not installed: npm ci --prefix tools/platforms, on Linux`
