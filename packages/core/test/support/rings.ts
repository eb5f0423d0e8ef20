/** The rings of the core, and what each may import: its own folder, and rings further in. `docs/architecture.md` draws them. */
export const rings: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: ["domain/"],
  engine: ["engine/"],
  tables: ["domain/", "engine/", "tables/"],
  ports: ["domain/", "engine/", "tables/", "ports/"],
  "adapter-toolkit": ["domain/", "engine/", "tables/", "ports/", "adapter-toolkit/"],
  services: ["domain/", "engine/", "tables/", "ports/", "services/"],
  memory: ["domain/", "engine/", "tables/", "ports/", "adapter-toolkit/", "memory/"],
  petstore: ["domain/", "engine/", "tables/", "ports/", "adapter-toolkit/", "services/", "memory/", "petstore/"],
  "verify-webhook": ["domain/", "verify-webhook/"]
}
