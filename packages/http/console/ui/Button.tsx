import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { messageOf } from "../api/ApiError.ts"
import { toast } from "./toast.ts"

interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => unknown
  readonly kind?: "primary" | "danger" | "plain" | "quiet"
  /** Why it cannot be used now; shown to everyone, also to those who cannot hover. */
  readonly blocked?: string | undefined
  readonly label?: string
  readonly type?: "button" | "submit"
  readonly pressed?: boolean
  readonly busy?: boolean
}

/** While what it began goes on, it cannot be used again: a double click counts once. */
export const Button = ({
  blocked,
  busy,
  children,
  kind = "plain",
  label,
  onClick,
  pressed,
  type = "button"
}: ButtonProps) => {
  const going = useSignal(false)
  const isBusy = busy === true || going.value
  return (
    <button
      type={type}
      class={`button ${kind}`}
      aria-disabled={blocked !== undefined || isBusy}
      aria-label={label}
      aria-pressed={pressed}
      title={blocked ?? label}
      onClick={(event) => {
        if (blocked !== undefined || busy === true || going.peek()) {
          event.preventDefault()
          if (blocked !== undefined) toast(blocked, { tone: "wait" })
          return
        }
        const begun = onClick?.()
        if (!(begun instanceof Promise)) return
        going.value = true
        begun
          .catch((error: unknown) => toast(messageOf(error), { tone: "bad" }))
          .finally(() => {
            going.value = false
          })
      }}
    >
      {children}
    </button>
  )
}
