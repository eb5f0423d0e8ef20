import { useSignal } from "@preact/signals"
import { go, linkTo } from "../router.ts"
import { Dialog } from "../ui/Dialog.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { asking } from "./keyboard.ts"
import { pages } from "./pages.ts"

interface Target {
  readonly name: string
  readonly link: string
  readonly icon: IconName
}

/** The resources that have an id of digits, by the beginnings of what people call them. */
const kinds = [
  { letters: /^(?:o|or|ord\w*)?\s*\d+$/, name: "Order", page: "orders" },
  { letters: /^(?:p|pe|pet\w*)?\s*\d+$/, name: "Pet", page: "pets" },
  { letters: /^(?:e\w*|#)?\s*\d+$/, name: "Event", page: "events" },
  { letters: /^(?:w\w*)?\s*\d+$/, name: "Webhook", page: "webhooks" },
  { letters: /^(?:c\w*)?\s*\d+$/, name: "Category", page: "categories" }
] as const

/** The pages and resources that a few letters may stand for: `order 12`, `#4711`, `webh`. */
const targetsOf = (phrase: string): ReadonlyArray<Target> => {
  const id = /(\d+|msg_\w+)$/.exec(phrase)?.[1] ?? ""
  const resources = kinds
    .filter(({ letters }) => letters.test(phrase))
    .map(({ name, page }): Target => ({ name: `${name} ${id}`, link: linkTo(page, id), icon: page }))
  const message: Target = { name: `Message ${id}`, link: linkTo("messages", id), icon: "messages" }
  const named = pages
    .filter(({ name }) => phrase === "" || name.toLowerCase().includes(phrase))
    .map(({ icon, id, name }): Target => ({ name, icon, link: linkTo(id) }))
  return [...resources, ...(id.startsWith("msg_") ? [message] : []), ...named]
}

/** Goes to a page or a resource by a few letters. */
export const Jump = () => {
  const text = useSignal("")
  const at = useSignal(0)
  const found = targetsOf(text.value.trim().toLowerCase())
  const chosen = Math.min(at.value, found.length - 1)
  const close = (): void => {
    asking.value = undefined
  }
  const take = (link: string | undefined): void => {
    if (link === undefined) return
    close()
    go(link)
  }
  return (
    <Dialog title="Go to" onClose={close}>
      <input
        class="jump"
        autofocus
        aria-label="Page or resource"
        placeholder="A page, or order 12, pet 7, event 4711…"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") at.value = Math.min(found.length - 1, chosen + 1)
          else if (event.key === "ArrowUp") at.value = Math.max(0, chosen - 1)
          else if (event.key === "Enter") take(found[chosen]?.link)
          else return
          event.preventDefault()
        }}
      />
      <ul class="jump-list">
        {found.map(({ icon, link, name }, index) => (
          <li key={link} class={index === chosen ? "chosen" : ""}>
            <a href={link} onClick={close}>
              <Icon name={icon} size={16} />
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
