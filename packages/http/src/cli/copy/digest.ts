import { createHash } from "node:crypto"

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString("hex")}"`
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const fields: Record<string, unknown> = { ...value }
  return `{${Object.keys(fields)
    .filter((name) => fields[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${textOf(fields[name])}`)
    .join(",")}}`
}

/** The SHA-256 of records. Equal records have equal digests, whatever the order of their fields. */
export const digestOf = (records: ReadonlyArray<unknown>): string => {
  const hash = createHash("sha256")
  for (const record of records) hash.update(textOf(record)).update("\n")
  return hash.digest("base64")
}
