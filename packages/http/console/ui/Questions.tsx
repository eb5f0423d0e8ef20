import { Button } from "./Button.tsx"
import { question } from "./confirm.ts"
import { Dialog } from "./Dialog.tsx"

export const Questions = () => {
  const asked = question.value
  if (asked === undefined) return null
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <p>{asked.text}</p>
      <div class="dialog-actions">
        <Button onClick={() => asked.answer(false)}>Keep it as it is</Button>
        <Button kind={asked.danger === true ? "danger" : "primary"} onClick={() => asked.answer(true)}>
          {asked.yes}
        </Button>
      </div>
    </Dialog>
  )
}
