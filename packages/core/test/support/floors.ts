/** The floors of the core, each a folder, and those that its files may import. `docs/architecture.md` draws them. */
export const floors: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: ["domain"],
  kernel: ["kernel"],
  tables: ["domain", "kernel", "tables"],
  ports: ["domain", "kernel", "tables", "ports"],
  "adapter-toolkit": ["domain", "kernel", "tables", "ports", "adapter-toolkit"],
  programs: ["domain", "kernel", "tables", "ports", "programs"],
  runtime: ["domain", "kernel", "tables", "ports", "programs", "runtime"],
  memory: ["domain", "kernel", "tables", "ports", "adapter-toolkit", "memory"],
  petstore: ["domain", "kernel", "tables", "ports", "adapter-toolkit", "programs", "runtime", "memory", "petstore"],
  "verify-webhook": ["domain", "verify-webhook"]
}
