import { build as esbuild } from "esbuild"
import { build as vite } from "vite"

/** Bundles a program of a project into one module, and returns its code. */
export type Bundler = (project: string, program: string, platform: "node" | "browser") => Promise<string>

const withEsbuild: Bundler = async (project, program, platform) => {
  const { outputFiles } = await esbuild({
    absWorkingDir: project,
    entryPoints: [program],
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    // PGlite imports it on Node.js only. Vite leaves such modules out by itself.
    external: platform === "browser" && program === "pglite.ts" ? ["node:module"] : [],
    write: false,
    logLevel: "error"
  })
  return outputFiles.map(({ text }) => text).join("\n")
}

const withVite: Bundler = async (project, program, platform) => {
  const built = await vite({
    configFile: false,
    root: project,
    logLevel: "error",
    ssr: { noExternal: true },
    build: {
      write: false,
      minify: true,
      ssr: platform === "node",
      rolldownOptions: { input: `${project}/${program}`, output: { codeSplitting: false } }
    }
  })
  const outputs = [built].flat().flatMap((result) => ("output" in result ? result.output : []))
  return outputs.map((output) => (output.type === "chunk" ? output.code : "")).join("\n")
}

export const bundlers: Readonly<Record<string, Bundler>> = { esbuild: withEsbuild, Vite: withVite }
