import { execFileSync } from "node:child_process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Browser, chromium } from "playwright-core"

const find = (name: string): string | undefined => {
  try {
    return execFileSync("which", [name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}

/** The path of Chromium on this machine, if it has one. */
export const chromiumPath: string | undefined = find("chromium") ?? find("chromium-browser")

/** Why a test is skipped if there is none. */
export const noChromium = "No Chromium is installed: apt-get install chromium"

/** What the names of tests in Chromium end with. */
export const skipped = chromiumPath === undefined ? ` (skipped: ${noChromium})` : ""

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** Starts Chromium without a window. */
export const launchBrowser = (executablePath = chromiumPath ?? "chromium"): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: flags })

/** The same; it ends with the scope. */
export const startBrowser = (executablePath: string): Effect.Effect<Browser, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => launchBrowser(executablePath)),
    (browser) => Effect.promise(() => browser.close())
  )
