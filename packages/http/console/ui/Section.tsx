import type { ComponentChildren } from "preact"

export const Section = ({
  children,
  extra,
  title
}: {
  title: string
  children: ComponentChildren
  extra?: ComponentChildren
}) => (
  <section class="section">
    <h3>
      {title}
      {extra}
    </h3>
    {children}
  </section>
)
