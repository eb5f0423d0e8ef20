import type { ComponentChildren } from "preact"

export type Tone = "ok" | "wait" | "bad" | "info" | "idle"

export const Badge = ({ children, tone }: { children: ComponentChildren; tone: Tone }) => (
  <span class={`badge ${tone}`}>
    <i aria-hidden="true" />
    {children}
  </span>
)
