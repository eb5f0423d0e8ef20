import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { stats, statsError } from "../live/stats.ts"
import { streamState } from "../live/stream.ts"
import { here, linkTo, route } from "../router.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Empty } from "../ui/states.tsx"
import { Jump } from "./Jump.tsx"
import { asking, onKey } from "./keyboard.ts"
import { Logo } from "./Logo.tsx"
import { pages } from "./pages.ts"
import { Side, StreamLight } from "./Side.tsx"

const keys: ReadonlyArray<readonly [keys: ReadonlyArray<string>, text: string]> = [
  [["Ctrl", "K"], "go to a page or a resource"],
  [["j", "k"], "next and previous row"],
  [["Esc"], "close the detail"],
  [["/"], "filter"],
  ...pages.map(({ key, name }) => [["g", key], name] as const)
]

const KeyHelp = () => (
  <Dialog title="Keys" onClose={() => (asking.value = undefined)}>
    <dl class="key-help">
      {keys.map(([pressed, text]) => (
        <div key={text}>
          <dt>
            {pressed.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

/** What is shown is of before while the server cannot be reached. */
const Unreachable = () =>
  statsError.value !== "" && streamState.value === "connecting" ? (
    <p class="notice bad" role="status">
      <Icon name="alert" size={16} />
      {statsError.value} What you see is of {new Date(stats.value?.at ?? Date.now()).toLocaleTimeString()}; it goes on
      by itself.
    </p>
  ) : null

/** The page that the address names, beside the list of pages. */
export const Console = ({ views }: { views: Readonly<Record<string, () => JSX.Element>> }) => {
  const { page } = route.value
  const menu = useSignal(false)
  const main = useRef<HTMLElement>(null)
  const name = pages.find(({ id }) => id === page)?.name
  useEffect(() => {
    document.title = `${name ?? "Not found"} · Petstore`
    menu.value = false
    main.current?.scrollTo(0, 0)
  }, [page])
  useEffect(() => {
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
  const View = name === undefined ? undefined : views[page]
  const skip = (event: Event): void => {
    event.preventDefault()
    main.current?.focus()
  }
  return (
    <div class={`app ${menu.value ? "menu-open" : ""}`}>
      <nav class="skip" aria-label="Skip">
        <a href={here({})} onClick={skip}>
          Skip to the content
        </a>
      </nav>
      <header class="top">
        <Button kind="quiet" label="Menu" pressed={menu.value} onClick={() => (menu.value = !menu.value)}>
          <Icon name="more" />
        </Button>
        <Logo />
        <b>{name}</b>
        <StreamLight />
      </header>
      <button
        type="button"
        class="menu-shade"
        tabIndex={-1}
        aria-label="Close the menu"
        onClick={() => (menu.value = false)}
      />
      <Side page={page} />
      <main ref={main} tabIndex={-1}>
        <div class="page">
          <Unreachable />
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
