import { type JSX, render } from "preact"
import { session } from "./api/session.ts"
import { signIn } from "./api/signIn.ts"
import { Categories } from "./pages/categories/Categories.tsx"
import { Consumers } from "./pages/consumers/Consumers.tsx"
import { Events } from "./pages/events/Events.tsx"
import { Health } from "./pages/Health.tsx"
import { Keys } from "./pages/keys/Keys.tsx"
import { Messages } from "./pages/messages/Messages.tsx"
import { Orders } from "./pages/orders/Orders.tsx"
import { Overview } from "./pages/overview/Overview.tsx"
import { Pets } from "./pages/pets/Pets.tsx"
import { Webhooks } from "./pages/webhooks/Webhooks.tsx"
import { Console } from "./shell/Console.tsx"
import type { PageId } from "./shell/pages.ts"
import { SignIn } from "./shell/SignIn.tsx"
import { Forms } from "./ui/Forms.tsx"
import { Questions } from "./ui/Questions.tsx"
import { Toasts } from "./ui/Toasts.tsx"

const views: Readonly<Record<PageId, () => JSX.Element>> = {
  overview: Overview,
  orders: Orders,
  pets: Pets,
  categories: Categories,
  events: Events,
  webhooks: Webhooks,
  messages: Messages,
  consumers: Consumers,
  keys: Keys,
  health: Health
}

const App = () => (
  <>
    {session.value === undefined ? <SignIn /> : <Console views={views} />}
    <Forms />
    <Questions />
    <Toasts />
  </>
)

const host = document.getElementById("console")
if (host !== null) {
  // With a stored key, or the session of the app, nobody sees the form first.
  await signIn()
  host.replaceChildren()
  render(<App />, host)
}
