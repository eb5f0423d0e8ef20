import type { ComponentChildren } from "preact"

export const Facts = ({
  of,
  two
}: {
  of: ReadonlyArray<readonly [name: string, value: ComponentChildren]>
  two?: boolean
}) => (
  <dl class={two === true ? "facts two" : "facts"}>
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value ?? <span class="muted">–</span>}</dd>
      </div>
    ))}
  </dl>
)
