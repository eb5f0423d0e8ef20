import { isAdmin, mayWrite, readOnly, setReadOnly } from "../api/scopes.ts"
import { docsUrl, signsIn, version } from "../api/server.ts"
import { session, signOut } from "../api/session.ts"
import { streamState } from "../live/stream.ts"
import { linkTo } from "../router.ts"
import { theme, toggleTheme } from "../theme.ts"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { asking } from "./keyboard.ts"
import { Logo } from "./Logo.tsx"
import { type PageInfo, pages } from "./pages.ts"

const streamWords = { off: "no events", connecting: "connecting", live: "live", asleep: "asleep" } as const

/** Whether events arrive. */
export const StreamLight = () => (
  <span class={`stream ${streamState.value}`}>
    <i aria-hidden="true" />
    {streamWords[streamState.value]}
  </span>
)

const PageLink = ({ page: { count, icon, id, may, name }, shown }: { page: PageInfo; shown: boolean }) => {
  const waiting = count?.()
  return (
    <a href={linkTo(id)} aria-current={shown ? "page" : undefined} class={may() ? "" : "locked"}>
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
}

const Who = () => {
  const who = session.value
  return (
    <div class="who">
      <span class="who-name">
        <b>{who?.name ?? who?.actor}</b>
        <small title={who?.scopes.join(", ")}>
          {isAdmin.value ? "all scopes" : mayWrite.value ? `${who?.scopes.length} scopes` : "reads only"}
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
  )
}

/** The pages, who is signed in, and what they may do. */
export const Side = ({ page }: { page: string }) => (
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
      {pages.map((one) => (
        <PageLink key={one.id} page={one} shown={one.id === page} />
      ))}
    </nav>
    <div class="side-foot">
      <StreamLight />
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
      <Who />
      <span class="foot-links">
        <a href={docsUrl}>API reference</a>
        <button type="button" onClick={() => (asking.value = "keys")}>
          Keyboard
        </button>
      </span>
    </div>
  </aside>
)
