import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { Icon } from "./Icon.tsx"

/** What is typed reaches the address a moment later. The page may be drawn again meanwhile, so it is kept here. */
export const Search = ({
  label,
  onInput,
  placeholder,
  value
}: {
  label: string
  onInput: (value: string) => void
  placeholder: string
  value: string
}) => {
  const typed = useSignal(value)
  const sent = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (value !== sent.current.trim()) typed.value = value
    sent.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        class="page-search"
        aria-label={label}
        placeholder={placeholder}
        value={typed.value}
        onInput={(event) => {
          const { value } = event.currentTarget
          typed.value = value
          clearTimeout(timer.current)
          timer.current = setTimeout(() => {
            sent.current = value
            onInput(value)
          }, 250)
        }}
      />
      <kbd>/</kbd>
    </label>
  )
}
