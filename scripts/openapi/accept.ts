// Accepts the document of the present contract: npm run openapi:accept [-- --breaking "why"]
import { readFile, writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { acceptedFile, announcementsFile, compareToAccepted, dayOf, report, withAnnouncement } from "./accepted.ts"

const { values } = parseArgs({ options: { breaking: { type: "string" } } })
const today = dayOf(new Date())
const { changes, isAccepted, text } = await compareToAccepted(today)
const isBreaking = changes.some(({ breaking }) => breaking)
const reason = values.breaking?.trim() ?? ""

if (isAccepted) {
  console.log("Nothing changed.")
} else {
  console.log(report(changes))
  if (isBreaking && reason === "") {
    console.error(
      '\nNot accepted: it has breaking changes. Announce them: npm run openapi:accept -- --breaking "why, and what to do"'
    )
    process.exitCode = 1
  } else {
    if (isBreaking) {
      const announcements = await readFile(announcementsFile, "utf8")
      await writeFile(announcementsFile, withAnnouncement(announcements, today, reason, changes))
    }
    await writeFile(acceptedFile, text)
    console.log("\nAccepted.")
  }
}
