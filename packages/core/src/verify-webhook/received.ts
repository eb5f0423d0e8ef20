/** Whether a value is a promise, of which callers forget to await the result. Effect has it too; receivers load nothing of it. */
export const isThenable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Describes a wrong option: text in quotes, an object by its class. */
export const shown = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (typeof value !== "object" || value === null) return String(value)
  const name = Object.prototype.toString.call(value).slice(8, -1)
  return name === "Object" ? "an object" : `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`
}
