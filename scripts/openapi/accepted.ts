import { readFile } from "node:fs/promises"
import { type OpenApi, openApiDocument, openApiYaml } from "@petstore/http/openapi"
import { parse } from "yaml"
import type { Change } from "./Change.ts"
import { compareDocuments } from "./compareDocuments.ts"

const folder = new URL("../../packages/http/openapi/", import.meta.url)

/** The document as it was accepted last. */
export const acceptedFile = new URL("petstore.yaml", folder)

/** The breaking changes that were announced, the newest first. */
export const announcementsFile = new URL("breaking-changes.md", folder)

/** The document that the contract makes now, against the accepted one. */
export interface Comparison {
  readonly text: string
  readonly isAccepted: boolean
  /** Empty where nobody but a reader can tell a difference. */
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

/** The changes in words, breaking ones first. */
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
