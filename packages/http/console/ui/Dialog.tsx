import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"

export const Dialog = ({
  children,
  onClose,
  title
}: {
  children: ComponentChildren
  onClose: () => void
  title: string
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => ref.current?.showModal(), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same.
    <dialog
      ref={ref}
      class="dialog"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div class="dialog-body">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
