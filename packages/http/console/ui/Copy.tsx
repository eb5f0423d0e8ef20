import { useSignal } from "@preact/signals"
import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"

export const Copy = ({ text }: { text: string }) => {
  const done = useSignal(false)
  // There is no clipboard in a page by http from another machine.
  if (!isSecureContext) return null
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    done.value = true
    setTimeout(() => {
      done.value = false
    }, 1500)
  }
  return (
    <Button kind="quiet" label={done.value ? "Copied" : "Copy"} onClick={copy}>
      <Icon name={done.value ? "check" : "copy"} size={15} />
    </Button>
  )
}
