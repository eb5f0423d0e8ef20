import { signal } from "@preact/signals"

/** What is open above the page: where to go, or the keys. */
export const asking = signal<"jump" | "keys" | undefined>(undefined)
