/**
 * The rings of the core, and those that the files of each may import. A folder that is no ring is a subject, such as orders: each of
 * its files is in the innermost of `subjectRings` that may import what it imports. `docs/architecture.md` draws the rings.
 */
export const rings: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: ["domain"],
  engine: ["engine"],
  tables: ["domain", "engine", "tables"],
  ports: ["domain", "engine", "tables", "ports"],
  "adapter-toolkit": ["domain", "engine", "tables", "ports", "adapter-toolkit"],
  services: ["domain", "engine", "tables", "ports", "services"],
  memory: ["domain", "engine", "tables", "ports", "adapter-toolkit", "memory"],
  petstore: ["domain", "engine", "tables", "ports", "adapter-toolkit", "services", "memory", "petstore"],
  "verify-webhook": ["domain", "verify-webhook"]
}

/** What a subject has: rules and schemas, tables, and use cases. */
export const subjectRings = ["domain", "tables", "services"] as const
