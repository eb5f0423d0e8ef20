import { signal } from "@preact/signals"
import type { Tone } from "./Badge.tsx"

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: Tone
  readonly undo?: () => unknown
}
export const toasts = signal<ReadonlyArray<Toast>>([])
let lastToast = 0

export const toast = (text: string, { tone = "ok", undo }: { tone?: Tone; undo?: () => unknown } = {}): void => {
  const id = ++lastToast
  toasts.value = [...toasts.value.slice(-2), { id, text, tone, ...(undo === undefined ? {} : { undo }) }]
  setTimeout(() => dismiss(id), undo === undefined && tone === "ok" ? 4000 : 9000)
}
export const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}
