import type { ComponentChildren } from "preact"

/** The name of a page, what is said beside it, and what can be done there. */
export const PageHead = ({
  actions,
  children,
  title
}: {
  title: ComponentChildren
  children?: ComponentChildren
  actions?: ComponentChildren
}) => (
  <header class="page-head">
    <h1>{title}</h1>
    {children}
    {actions !== undefined && <div class="page-actions">{actions}</div>}
  </header>
)
