import { signal, useSignal } from "@preact/signals"
import { render } from "preact"
import { useEffect, useRef } from "preact/hooks"
import {
  docsUrl,
  isAdmin,
  mayRead,
  readOnly,
  session,
  setReadOnly,
  signIn,
  signInError,
  signOut,
  signsIn,
  stats,
  statsError,
  streamState,
  version
} from "./api.ts"
import { Forms } from "./forms.tsx"
import { Categories } from "./pages/categories.tsx"
import { Consumers } from "./pages/consumers.tsx"
import { Events } from "./pages/events.tsx"
import { Health } from "./pages/health.tsx"
import { Keys } from "./pages/keys.tsx"
import { Messages } from "./pages/messages.tsx"
import { Orders } from "./pages/orders.tsx"
import { Overview } from "./pages/overview.tsx"
import { Pets } from "./pages/pets.tsx"
import { Webhooks } from "./pages/webhooks.tsx"
import { go, here, linkTo, route } from "./router.ts"
import { theme, toggleTheme } from "./theme.ts"
import { Button, capped, Dialog, Empty, Icon, type IconName, Questions, Toasts } from "./ui.tsx"

interface PageInfo {
  readonly id: string
  readonly name: string
  readonly icon: IconName
  readonly key: string
  readonly view: () => preact.JSX.Element
  readonly may: () => boolean
  /** What waits there for somebody. */
  readonly count?: () => string | undefined
}

const sum = (values: ReadonlyArray<number> | undefined): number => values?.reduce((a, b) => a + b, 0) ?? 0
const some = (value: number, cap: number): string | undefined => (value === 0 ? undefined : capped(value, cap))

const pages: ReadonlyArray<PageInfo> = [
  { id: "overview", name: "Overview", icon: "overview", key: "o", view: Overview, may: () => true },
  {
    id: "orders",
    name: "Orders",
    icon: "orders",
    key: "r",
    view: Orders,
    may: () => mayRead("orders:read") || mayRead("orders:own")
  },
  { id: "pets", name: "Pets and stock", icon: "pets", key: "p", view: Pets, may: () => mayRead("pets:read") },
  {
    id: "categories",
    name: "Categories",
    icon: "categories",
    key: "t",
    view: Categories,
    may: () => mayRead("pets:read")
  },
  { id: "events", name: "Events", icon: "events", key: "e", view: Events, may: () => streamState.value !== "off" },
  {
    id: "webhooks",
    name: "Webhooks",
    icon: "webhooks",
    key: "w",
    view: Webhooks,
    may: () => mayRead("webhooks:read"),
    count: () => some(sum(stats.value?.webhooks.endpoints.map(({ failed }) => failed)), 1000)
  },
  {
    id: "messages",
    name: "Messages",
    icon: "messages",
    key: "m",
    view: Messages,
    may: () => mayRead("messages:read"),
    count: () => some(stats.value?.messages.failed ?? 0, 10_000)
  },
  {
    id: "consumers",
    name: "Consumers",
    icon: "consumers",
    key: "c",
    view: Consumers,
    may: () => mayRead("stats:read")
  },
  { id: "keys", name: "Keys", icon: "keys", key: "k", view: Keys, may: () => isAdmin.value },
  { id: "health", name: "Health", icon: "health", key: "h", view: Health, may: () => mayRead("stats:read") }
]

const Logo = () => (
  <svg class="logo" width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <g>
      <ellipse cx="9.600" cy="14" rx="2.400" ry="3.100" />
      <ellipse cx="14" cy="9.400" rx="2.400" ry="3.200" />
      <ellipse cx="18.900" cy="9.400" rx="2.400" ry="3.200" />
      <ellipse cx="23" cy="14" rx="2.400" ry="3.100" />
      <path d="M16.300 14.600c3.200 0 6.300 3.400 6.300 6.300 0 2-1.500 3.100-3.200 3.100-1.300 0-1.900-.6-3.100-.6s-1.800.6-3.100.6c-1.700 0-3.200-1.100-3.200-3.100 0-2.900 3.100-6.300 6.300-6.300z" />
    </g>
  </svg>
)

const SignIn = () => {
  const typed = useSignal("")
  const busy = useSignal(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    busy.value = true
    await signIn(typed.value)
    busy.value = false
  }
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <Logo />
        <h1>Petstore console</h1>
        {signsIn === "apiKey" ? (
          <>
            <p class="muted">Enter an API key. What you see and may do follows from its scopes.</p>
            <input
              type="password"
              name="key"
              autocomplete="off"
              spellcheck={false}
              aria-label="API key"
              placeholder="psk_…"
              value={typed.value}
              onInput={(event) => (typed.value = event.currentTarget.value)}
              autofocus
              required
            />
            {signInError.value !== "" && (
              <p class="notice bad" role="alert">
                <Icon name="alert" size={16} />
                {signInError.value}
              </p>
            )}
            <Button type="submit" kind="primary" busy={busy.value}>
              {busy.value ? "Signing in…" : "Sign in"}
            </Button>
            <p class="muted small">
              The key stays in this tab and is forgotten when you close it. <code>petstore console</code> prints a link
              that signs you in.
            </p>
          </>
        ) : (
          <p class={signInError.value === "" ? "muted" : "notice bad"} role="alert">
            {signInError.value === "" ? "Signing in with your session…" : signInError.value}
          </p>
        )}
      </form>
    </main>
  )
}

const asking = signal<"jump" | "keys" | undefined>(undefined)

/** Goes to a page or a resource by a few letters: `order 12`, `#4711`, `webh`. */
const Jump = () => {
  const text = useSignal("")
  const at = useSignal(0)
  const phrase = text.value.trim().toLowerCase()
  const id = /(\d+|msg_\w+)$/.exec(phrase)?.[1]
  const found = [
    ...(id === undefined
      ? []
      : [
          ...(/^(?:o|or|ord\w*)?\s*\d+$/.test(phrase)
            ? [{ name: `Order ${id}`, link: linkTo("orders", id), icon: "orders" as IconName }]
            : []),
          ...(/^(?:p|pe|pet\w*)?\s*\d+$/.test(phrase)
            ? [{ name: `Pet ${id}`, link: linkTo("pets", id), icon: "pets" as IconName }]
            : []),
          ...(/^(?:e\w*|#)?\s*\d+$/.test(phrase)
            ? [{ name: `Event ${id}`, link: linkTo("events", id), icon: "events" as IconName }]
            : []),
          ...(/^(?:w\w*)?\s*\d+$/.test(phrase)
            ? [{ name: `Webhook ${id}`, link: linkTo("webhooks", id), icon: "webhooks" as IconName }]
            : []),
          ...(id.startsWith("msg_")
            ? [{ name: `Message ${id}`, link: linkTo("messages", id), icon: "messages" as IconName }]
            : [])
        ]),
    ...pages
      .filter(({ name }) => phrase === "" || name.toLowerCase().includes(phrase))
      .map(({ icon, id, name }) => ({ name, icon, link: linkTo(id) }))
  ]
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

const KeyHelp = () => (
  <Dialog title="Keys" onClose={() => (asking.value = undefined)}>
    <dl class="key-help">
      <div>
        <dt>
          <kbd>Ctrl</kbd> <kbd>K</kbd>
        </dt>
        <dd>go to a page or a resource</dd>
      </div>
      <div>
        <dt>
          <kbd>j</kbd> <kbd>k</kbd>
        </dt>
        <dd>next and previous row</dd>
      </div>
      <div>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>close the detail</dd>
      </div>
      <div>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>filter</dd>
      </div>
      {pages.map(({ id, key, name }) => (
        <div key={id}>
          <dt>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>
          <dd>{name}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

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

let going = 0
addEventListener("keydown", (event) => {
  if (session.value === undefined) return
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault()
    asking.value = "jump"
    return
  }
  const target = event.target as Element
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("dialog") !== null) return
  if (event.key === "Escape" && target.closest("input") === null) {
    const close = document.querySelector<HTMLAnchorElement>(".drawer-close")
    if (close !== null) go(close.getAttribute("href") ?? "")
    return
  }
  if (target.closest("input,select,textarea") !== null) return
  if (Date.now() - going < 1000) {
    going = 0
    const page = pages.find(({ key }) => key === event.key)
    if (page !== undefined) go(linkTo(page.id))
    return
  }
  if (event.key === "g") going = Date.now()
  else if (event.key === "j") step(1)
  else if (event.key === "k") step(-1)
  else if (event.key === "?") asking.value = "keys"
  else if (event.key === "/") {
    const search = document.querySelector<HTMLInputElement>(".page-search")
    if (search !== null) {
      event.preventDefault()
      search.focus()
    }
  }
})

const streamWords = { off: "no events", connecting: "connecting", live: "live", asleep: "asleep" } as const

const Console = () => {
  const { page } = route.value
  const menu = useSignal(false)
  const main = useRef<HTMLElement>(null)
  const current = pages.find(({ id }) => id === page)
  useEffect(() => {
    document.title = `${current?.name ?? "Not found"} · Petstore`
    menu.value = false
    main.current?.scrollTo(0, 0)
  }, [page])
  const View = current?.view
  const who = session.value
  return (
    <div class={`app ${menu.value ? "menu-open" : ""}`}>
      <nav class="skip" aria-label="Skip">
        <a
          href={here({})}
          onClick={(event) => {
            event.preventDefault()
            main.current?.focus()
          }}
        >
          Skip to the content
        </a>
      </nav>
      <header class="top">
        <Button kind="quiet" label="Menu" pressed={menu.value} onClick={() => (menu.value = !menu.value)}>
          <Icon name="more" />
        </Button>
        <Logo />
        <b>{current?.name}</b>
        <span class={`stream ${streamState.value}`}>
          <i aria-hidden="true" />
          {streamWords[streamState.value]}
        </span>
      </header>
      <button
        type="button"
        class="menu-shade"
        tabIndex={-1}
        aria-label="Close the menu"
        onClick={() => (menu.value = false)}
      />
      <aside class="side">
        <a class="brand" href={linkTo("overview")}>
          <Logo />
          <b>Petstore</b>
          <small>{version}</small>
        </a>
        <button type="button" class="jump-button" onClick={() => (asking.value = "jump")}>
          <Icon name="search" size={16} />
          Go to…<kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Pages">
          {pages.map(({ count, icon, id, may, name }) => {
            const waiting = count?.()
            return (
              <a
                key={id}
                href={linkTo(id)}
                aria-current={id === page ? "page" : undefined}
                class={may() ? "" : "locked"}
              >
                <Icon name={icon} />
                <span>{name}</span>
                {!may() ? (
                  <Icon name="lock" size={14} />
                ) : (
                  waiting !== undefined && (
                    <span class="count bad" title={`${waiting} failed`}>
                      {waiting}
                    </span>
                  )
                )}
              </a>
            )
          })}
        </nav>
        <div class="side-foot">
          <span class={`stream ${streamState.value}`}>
            <i aria-hidden="true" />
            {streamWords[streamState.value]}
          </span>
          <label class="switch" title="Hides nothing, but lets nothing be changed from this browser">
            <input
              type="checkbox"
              role="switch"
              aria-checked={readOnly.value}
              checked={readOnly.value}
              onChange={(event) => setReadOnly(event.currentTarget.checked)}
            />
            <span>Look only</span>
          </label>
          <div class="who">
            <span class="who-name">
              <b>{who?.name ?? who?.actor}</b>
              <small title={who?.scopes.join(", ")}>
                {who?.scopes.includes("admin") === true
                  ? "all scopes"
                  : who?.scopes.some((scope) => /:(?:write|fulfil)$/.test(scope)) === true
                    ? `${who.scopes.length} scopes`
                    : "reads only"}
              </small>
            </span>
            <Button kind="quiet" label={theme.value === "dark" ? "Light" : "Dark"} onClick={toggleTheme}>
              <Icon name={theme.value === "dark" ? "sun" : "moon"} size={16} />
            </Button>
            {signsIn === "apiKey" && (
              <Button kind="quiet" label="Sign out" onClick={() => signOut()}>
                <Icon name="out" size={16} />
              </Button>
            )}
          </div>
          <span class="foot-links">
            <a href={docsUrl}>API reference</a>
            <button type="button" onClick={() => (asking.value = "keys")}>
              Keyboard
            </button>
          </span>
        </div>
      </aside>
      <main ref={main} tabIndex={-1}>
        <div class="page">
          {statsError.value !== "" && streamState.value === "connecting" && (
            <p class="notice bad" role="status">
              <Icon name="alert" size={16} />
              {statsError.value} What you see is of {new Date(stats.value?.at ?? Date.now()).toLocaleTimeString()}; it
              goes on by itself.
            </p>
          )}
          {View === undefined ? (
            <Empty icon="search" title="There is no such page">
              <a href={linkTo("overview")}>Overview</a>
            </Empty>
          ) : (
            <View key={page} />
          )}
        </div>
      </main>
      {asking.value === "jump" && <Jump />}
      {asking.value === "keys" && <KeyHelp />}
    </div>
  )
}

const App = () => (
  <>
    {session.value === undefined ? <SignIn /> : <Console />}
    <Forms />
    <Questions />
    <Toasts />
  </>
)

const host = document.getElementById("console")
if (host !== null) {
  // With a stored key, or the session of the app, nobody sees the form first.
  await signIn()
  render(<App />, host)
}
