import type { Change } from "./Change.ts"

/** Adds an entry to the announced breaking changes, above the older ones. */
export const withAnnouncement = (
  announcements: string,
  today: string,
  reason: string,
  changes: ReadonlyArray<Change>
): string => {
  const lines = changes.filter(({ breaking }) => breaking).map(({ what, where }) => `- \`${where}: ${what}\``)
  const entry = [`## ${today}`, "", reason, "", ...lines, ""].join("\n")
  const at = announcements.search(/^## /m)
  return at === -1 ? `${announcements}\n${entry}` : `${announcements.slice(0, at)}${entry}\n${announcements.slice(at)}`
}
