import type { ComponentChildren } from "preact"
import type { Tone } from "../../ui/Badge.tsx"
import { Icon, type IconName } from "../../ui/Icon.tsx"

export const Tile = ({
  children,
  href,
  icon,
  name,
  note,
  tone,
  value
}: {
  name: string
  icon: IconName
  value: ComponentChildren
  note: ComponentChildren
  href: string
  tone?: Tone | undefined
  children?: ComponentChildren
}) => (
  <a class={`card tile ${tone ?? ""}`} href={href}>
    <span class="tile-name">
      <Icon name={icon} size={16} />
      {name}
    </span>
    <span class="tile-value">
      <strong>{value}</strong>
      {children}
    </span>
    <span class="tile-note">{note}</span>
  </a>
)
