import { readFile } from "node:fs/promises"

/** The files of the console, which loads nothing from other hosts. */
export type ConsoleFile = "console.css" | "console.js"

const folder = new URL("../../../console/dist/", import.meta.url)

/** Reads a file of the console. The build replaces the compiled module, as that of the reference page. */
export const consoleText = (name: ConsoleFile): Promise<string> => readFile(new URL(name, folder), "utf8")
