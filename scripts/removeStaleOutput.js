/** Removes what was compiled from sources that are gone, which tsc leaves behind and npm pack would publish. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

for (const workspace of workspaces) {
  const place = join(root, workspace)
  const dist = join(place, "dist")
  if (!existsSync(dist)) continue
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    // The scripts that write these remove what is stale: until then, programs start from it.
    if (["bundle", "chunks"].some((name) => entry.parentPath === join(dist, name))) continue
    const source = join(place, "src", relative(dist, file)).replace(/(?:\.d\.ts|\.js)(?:\.map)?$/, ".ts")
    if (source.endsWith(".ts") && !existsSync(source)) rmSync(file)
  }
}
