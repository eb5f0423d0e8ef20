import { type Progress, progress } from "./actOnAll.ts"
import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import { number } from "./text.ts"
import { dismiss, toasts } from "./toast.ts"

/** How far what is done to all rows of a list has come. */
const ProgressToast = ({ of: { count, stop, title } }: { of: Progress }) => (
  <div class="toast">
    <span>
      {title}: {number(count)} so far
    </span>
    <Button kind="quiet" onClick={stop}>
      Stop
    </Button>
  </div>
)

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {progress.value !== undefined && <ProgressToast of={progress.value} />}
    {toasts.value.map(({ id, text, tone, undo }) => (
      <div class={`toast ${tone}`} key={id}>
        <Icon name={tone === "ok" ? "check" : "alert"} size={16} />
        <span>{text}</span>
        {undo !== undefined && (
          <Button
            kind="quiet"
            onClick={() => {
              dismiss(id)
              undo()
            }}
          >
            Undo
          </Button>
        )}
        <Button kind="quiet" label="Close" onClick={() => dismiss(id)}>
          <Icon name="close" size={14} />
        </Button>
      </div>
    ))}
  </div>
)
