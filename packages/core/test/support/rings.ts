/** The rings of the core, and what each may import: its own folder, and rings further in. `docs/architecture.md` draws them. */
export const rings: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: ["domain/"],
  ports: ["domain/", "engine/", "ports/"],
  "adapter-toolkit": ["domain/", "engine/", "ports/", "adapter-toolkit/"],
  engine: ["engine/"],
  services: ["domain/", "ports/", "engine/", "services/"],
  memory: ["domain/", "engine/", "ports/", "adapter-toolkit/", "memory/"],
  petstore: ["domain/", "ports/", "adapter-toolkit/", "engine/", "services/", "memory/", "petstore/"],
  "verify-webhook": ["domain/", "verify-webhook/"]
}
