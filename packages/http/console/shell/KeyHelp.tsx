import { Dialog } from "../ui/Dialog.tsx"
import { asking } from "./asking.ts"
import { pages } from "./pages.ts"

const keys: ReadonlyArray<readonly [keys: ReadonlyArray<string>, text: string]> = [
  [["Ctrl", "K"], "go to a page or a resource"],
  [["j", "k"], "next and previous row"],
  [["Esc"], "close the detail"],
  [["/"], "filter"],
  ...pages.map(({ key, name }) => [["g", key], name] as const)
]

export const KeyHelp = () => (
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
