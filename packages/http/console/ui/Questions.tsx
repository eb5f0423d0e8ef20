import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly yes: string
  readonly danger?: boolean
  readonly answer: (yes: boolean) => void
}
const question = signal<Question | undefined>(undefined)

export const confirm = (asked: Omit<Question, "answer">): Promise<boolean> =>
  new Promise((resolve) => {
    question.value = {
      ...asked,
      answer: (yes) => {
        question.value = undefined
        resolve(yes)
      }
    }
  })

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
