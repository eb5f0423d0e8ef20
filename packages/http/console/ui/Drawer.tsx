import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { go } from "../router.ts"
import { Icon } from "./Icon.tsx"

export const Drawer = ({
  actions,
  children,
  close,
  kicker,
  title
}: {
  title: ComponentChildren
  kicker: string
  close: string
  children: ComponentChildren
  actions?: ComponentChildren
}) => {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    ref.current?.focus({ preventScroll: true })
    return () => before instanceof HTMLElement && before.isConnected && before.focus({ preventScroll: true })
  }, [])
  return (
    <>
      <button type="button" class="drawer-shade" aria-label="Close" tabIndex={-1} onClick={() => go(close)} />
      <aside ref={ref} class="drawer" tabIndex={-1} aria-label={kicker}>
        <header>
          <div>
            <span class="kicker">{kicker}</span>
            <h2>{title}</h2>
          </div>
          <a class="button quiet drawer-close" href={close} aria-label="Close">
            <Icon name="close" />
          </a>
        </header>
        <div class="drawer-body">{children}</div>
        {actions !== undefined && <footer>{actions}</footer>}
      </aside>
    </>
  )
}
