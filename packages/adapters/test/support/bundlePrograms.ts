/**
 * Bundles programs that tests start, from the sources as they are: to find, strip and compile 700 modules takes three times the
 * CPU time that a short program needs.
 */
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Where a module is, for what it reads or starts beside it: its source, not the bundle. */
const ownPlace = {
  name: "own place",
  transform: {
    filter: { code: /\bimport\.meta\.(?:url|dirname)\b/ },
    handler: (code: string, id: string) => ({
      code: code
        .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
        .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(join(id, ".."))),
      map: null
    })
  }
}

/** What was compiled stays for the next start, even if this one is killed. */
const keepCompiled = 'import { flushCompileCache } from "node:module"; flushCompileCache();'

/** The bundle of a program, by the path of its source. */
export const bundledPath = (folder: string, source: string): string =>
  join(folder, relative(root, source).replace(/\.ts$/, ".js"))

/** Bundles programs into a new folder; remove it when they have ended. */
export const bundlePrograms = async (sources: ReadonlyArray<string>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-programs-"))
  try {
    // All packages but those of Effect, which are hundreds of modules, are found as they are from the sources.
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction")
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    // Here: workers only ask for the path.
    const { rolldown } = await import("rolldown")
    const build = await rolldown({
      cwd: root,
      input: Object.fromEntries(sources.map((source) => [bundledPath("", source).replace(/\.js$/, ""), source])),
      external: /^(?!\.{0,2}\/|#|@petstore\/|effect(?:\/|$)|@effect\/|\0)/,
      platform: "node",
      tsconfig: false,
      resolve: { conditionNames: ["@petstore/source"] },
      plugins: [ownPlace]
    })
    await build.write({
      dir: folder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name].js",
      // They are two fifths of the text, which each start reads.
      comments: false,
      banner: ({ isEntry }) => (isEntry ? keepCompiled : ""),
      sourcemap: true
    })
    await build.close()
    return folder
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
