import { readFile } from "node:fs/promises"
import { type OpenApi, openApiDocument, openApiYaml } from "@petstore/http/openapi"
import { parse } from "yaml"
import type { Change } from "./Change.ts"
import { compareDocuments } from "./compareDocuments.ts"

const folder = new URL("../../packages/http/openapi/", import.meta.url)

/** The document that was accepted last. */
export const acceptedFile = new URL("petstore.yaml", folder)

/** The announced breaking changes, newest first. */
export const announcementsFile = new URL("breaking-changes.md", folder)

/** The document of the present contract, compared with the accepted one. */
export interface Comparison {
  readonly text: string
  readonly isAccepted: boolean
  /** Empty if only texts and examples differ. */
  readonly changes: ReadonlyArray<Change>
}

export const compareToAccepted = async (today: string): Promise<Comparison> => {
  const document = openApiDocument()
  const text = openApiYaml(document)
  const accepted = await readFile(acceptedFile, "utf8")
  const isAccepted = accepted === text
  return { text, isAccepted, changes: isAccepted ? [] : compareDocuments(parse(accepted) as OpenApi, document, today) }
}

const line = ({ where, what }: Change): string => `- ${where}: ${what}`

/** The changes as text, breaking ones first. */
export const report = (changes: ReadonlyArray<Change>): string => {
  const section = (title: string, breaking: boolean): ReadonlyArray<string> => {
    const lines = changes.filter((change) => change.breaking === breaking).map(line)
    return lines.length === 0 ? [] : [`${title}:`, ...lines]
  }
  return changes.length === 0
    ? "Only texts and examples differ."
    : [...section("Breaking", true), ...section("Compatible", false)].join("\n")
}

/** The day in UTC, such as 2026-05-04. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

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
