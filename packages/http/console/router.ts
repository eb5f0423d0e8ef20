import { computed, signal } from "@preact/signals"

/** Where the user is, all of it in the fragment: a link shows the same to everyone, and needs no path on the server. */
const hash = signal(location.hash)
addEventListener("hashchange", () => {
  hash.value = location.hash
})

/** A part of a path, as it is if it has a wrong escape. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const route = computed(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?")
  const [page = "", id] = path.split("/").map(decoded)
  return { page: page === "" ? "overview" : page, id, query: new URLSearchParams(query) }
})

export const linkTo = (page: string, id?: string | number, query: Record<string, string | undefined> = {}): string => {
  const kept = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""
  )
  const text = new URLSearchParams(kept).toString()
  return `#/${page}${id === undefined ? "" : `/${encodeURIComponent(id)}`}${text === "" ? "" : `?${text}`}`
}

export const go = (link: string, replace = false): void => {
  if (replace) {
    history.replaceState(null, "", link)
    hash.value = link
  } else location.hash = link
}

/** The same page with another filter, or another detail beside it. */
export const here = (change: Record<string, string | undefined>, id?: string | number | null): string => {
  const { id: now, page, query } = route.value
  const kept = { ...Object.fromEntries(query), ...change }
  return linkTo(page, id === null ? undefined : (id ?? now), kept)
}

/** The link to the resource that an event is about. */
export const linkToSubject = (subject: string): string | undefined => {
  const [kind = "", id] = subject.split("/")
  const page = {
    pets: "pets",
    categories: "categories",
    inventory: "pets",
    orders: "orders",
    messages: "messages",
    webhooks: "webhooks"
  }[kind]
  return page === undefined || id === undefined ? undefined : linkTo(page, id)
}

const nouns: Readonly<Record<string, string>> = {
  pets: "pet",
  categories: "category",
  inventory: "pet",
  orders: "order",
  webhooks: "webhook"
}

/** What opens the resource that an event is about. */
export const openLabel = (subject: string): string => {
  const [kind = "", id = ""] = subject.split("/")
  return kind === "messages" ? "Open the message" : `Open ${nouns[kind] ?? kind} ${id}`
}
