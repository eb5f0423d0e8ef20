import type { Tone } from "./Badge.tsx"

export const Meter = ({ of, part, tone }: { part: number; of: number; tone: Tone }) => (
  <span class="meter" aria-hidden="true">
    <span class={tone} style={{ width: `${of <= 0 ? 0 : Math.min(100, (part / of) * 100)}%` }} />
  </span>
)
