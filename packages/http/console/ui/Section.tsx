import type { ComponentChildren } from "preact"

export const Section = ({ children, title }: { title: string; children: ComponentChildren }) => (
  <section class="section">
    <h3>{title}</h3>
    {children}
  </section>
)
