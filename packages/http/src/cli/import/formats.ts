import { extname } from "node:path"

export const formats = ["csv", "ndjson"] as const
export type Format = (typeof formats)[number]

const extensions: Readonly<Record<string, Format>> = { ".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson" }

/** The format that the name of a file tells; undefined where it tells none. */
export const formatOf = (file: string): Format | undefined => extensions[extname(file).toLowerCase()]
