import { signal } from "@preact/signals"
import { session } from "../api/session.ts"
import { go, linkTo } from "../router.ts"
import { pages } from "./pages.ts"

/** What is open above the page: where to go, or the keys. */
export const asking = signal<"jump" | "keys" | undefined>(undefined)

/** The links of the rows that are shown: keys walk along them. */
const step = (by: number): void => {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("main .table-card .row-link")]
  const now = links.findIndex(
    (link) => link.closest("tr")?.classList.contains("open") === true || link === document.activeElement
  )
  const next = links[now === -1 ? 0 : Math.max(0, Math.min(links.length - 1, now + by))]
  if (next === undefined) return
  const isOpen = document.querySelector("main tr.open") !== null
  next.scrollIntoView({ block: "nearest" })
  if (isOpen) go(next.getAttribute("href") ?? "", true)
  else next.focus()
}

const closeDetail = (): void => {
  const close = document.querySelector<HTMLAnchorElement>(".drawer-close")
  if (close !== null) go(close.getAttribute("href") ?? "")
}

const focusFilter = (event: KeyboardEvent): void => {
  const search = document.querySelector<HTMLInputElement>(".page-search")
  if (search === null) return
  event.preventDefault()
  search.focus()
}

/** When `g` was pressed: the key after it is that of a page. */
let goPressed = 0

const keys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
  g: () => {
    goPressed = Date.now()
  },
  j: () => step(1),
  k: () => step(-1),
  "?": () => {
    asking.value = "keys"
  },
  "/": focusFilter
}

export const onKey = (event: KeyboardEvent): void => {
  if (session.value === undefined) return
  const target = event.target as Element
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault()
    asking.value = "jump"
  } else if (event.ctrlKey || event.metaKey || event.altKey || target.closest("dialog") !== null) return
  else if (event.key === "Escape" && target.closest("input") === null) closeDetail()
  else if (target.closest("input,select,textarea") !== null) return
  else if (Date.now() - goPressed < 1000) {
    goPressed = 0
    const page = pages.find(({ key }) => key === event.key)
    if (page !== undefined) go(linkTo(page.id))
  } else keys[event.key]?.(event)
}
