import type { ComponentChildren } from "preact"
import { messageOf } from "../api/ApiError.ts"
import { Button } from "./Button.tsx"
import { Icon, type IconName } from "./Icon.tsx"
import { PageHead } from "./PageHead.tsx"

export const Empty = ({ children, icon, title }: { children?: ComponentChildren; icon: IconName; title: string }) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={24} />
    </span>
    <b>{title}</b>
    {children !== undefined && <p>{children}</p>}
  </div>
)

export const NoScope = ({ scope }: { scope: string }) => (
  <Empty icon="lock" title="Your key does not show this">
    It needs the scope <code>{scope}</code>. An admin can create a key that has it, on the page Keys.
  </Empty>
)

/** A page of which the key shows nothing. */
export const NoScopePage = ({ scope, title }: { scope: string; title: string }) => (
  <>
    <PageHead title={title} />
    <NoScope scope={scope} />
  </>
)

export const Failed = ({ error, retry }: { error: unknown; retry: () => unknown }) => (
  <div class="empty" role="alert">
    <span class="empty-icon bad">
      <Icon name="alert" size={24} />
    </span>
    <b>This could not be loaded</b>
    <p>{messageOf(error)}</p>
    <Button onClick={retry}>Try again</Button>
  </div>
)
