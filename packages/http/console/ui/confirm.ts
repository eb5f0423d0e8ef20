import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly yes: string
  readonly danger?: boolean
  readonly answer: (yes: boolean) => void
}
export const question = signal<Question | undefined>(undefined)

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
