import { type Signal, useSignal } from "@preact/signals"
import { signsIn } from "../api/server.ts"
import { signInError } from "../api/session.ts"
import { signIn } from "../api/signIn.ts"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Logo } from "./Logo.tsx"

const KeyFields = ({ busy, typed }: { busy: boolean; typed: Signal<string> }) => (
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
    <Button type="submit" kind="primary" busy={busy}>
      {busy ? "Signing in…" : "Sign in"}
    </Button>
    <p class="muted small">
      The key stays in this tab and is forgotten when you close it. <code>petstore console</code> prints a link that
      signs you in.
    </p>
  </>
)

export const SignIn = () => {
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
          <KeyFields busy={busy.value} typed={typed} />
        ) : (
          <p class={signInError.value === "" ? "muted" : "notice bad"} role="alert">
            {signInError.value === "" ? "Signing in with your session…" : signInError.value}
          </p>
        )}
      </form>
    </main>
  )
}
