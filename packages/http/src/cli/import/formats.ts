import { extname } from "node:path"

export const formats = ["csv", "ndjson"] as const
export type Format = (typeof formats)[number]

const extensions: Readonly<Record<string, Format>> = { ".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson" }

/** The format by the extension of a file name; undefined if it is unknown. */
export const formatOf = (file: string): Format | undefined => extensions[extname(file).toLowerCase()]
