import { useRef } from "preact/hooks"
import { Icon } from "./Icon.tsx"

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
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        class="page-search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={(event) => {
          const { value } = event.currentTarget
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onInput(value), 250)
        }}
      />
      <kbd>/</kbd>
    </label>
  )
}
