import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { root } from "../../packages/test/support/workspace.ts"

/** Runs tests as they are configured, and returns whether they pass. */
export const passes = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  node = process.execPath
): boolean =>
  spawnSync(node, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: "inherit"
  }).status === 0
