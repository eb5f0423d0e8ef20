import { isAdmin, mayRead } from "../api/scopes.ts"
import { stats } from "../live/stats.ts"
import { streamState } from "../live/stream.ts"
import type { IconName } from "../ui/Icon.tsx"
import { capped } from "../ui/text.ts"

export interface PageInfo {
  readonly id: string
  readonly name: string
  readonly icon: IconName
  /** What goes to it after `g`. */
  readonly key: string
  readonly may: () => boolean
  /** What waits there for the user. */
  readonly count?: () => string | undefined
}

const some = (value: number, cap: number): string | undefined => (value === 0 ? undefined : capped(value, cap))
const mayReadPets = (): boolean => mayRead("pets:read")
const mayReadStats = (): boolean => mayRead("stats:read")

export const pages = [
  { id: "overview", name: "Overview", icon: "overview", key: "o", may: () => true },
  {
    id: "orders",
    name: "Orders",
    icon: "orders",
    key: "r",
    may: () => mayRead("orders:read") || mayRead("orders:own")
  },
  { id: "pets", name: "Pets and stock", icon: "pets", key: "p", may: mayReadPets },
  { id: "categories", name: "Categories", icon: "categories", key: "t", may: mayReadPets },
  { id: "events", name: "Events", icon: "events", key: "e", may: () => streamState.value !== "off" },
  {
    id: "webhooks",
    name: "Webhooks",
    icon: "webhooks",
    key: "w",
    may: () => mayRead("webhooks:read"),
    count: () => some(stats.value?.webhooks.endpoints.reduce((sum, { failed }) => sum + failed, 0) ?? 0, 1000)
  },
  {
    id: "messages",
    name: "Messages",
    icon: "messages",
    key: "m",
    may: () => mayRead("messages:read"),
    count: () => some(stats.value?.messages.failed ?? 0, 10_000)
  },
  { id: "consumers", name: "Consumers", icon: "consumers", key: "c", may: () => mayRead("consumers:read") },
  { id: "keys", name: "Keys", icon: "keys", key: "k", may: () => isAdmin.value },
  { id: "health", name: "Health", icon: "health", key: "h", may: mayReadStats }
] as const satisfies ReadonlyArray<PageInfo>

export type PageId = (typeof pages)[number]["id"]
