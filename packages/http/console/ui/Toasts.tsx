import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import { dismiss, toasts } from "./toast.ts"

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
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
