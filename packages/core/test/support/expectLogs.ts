import { afterAll, beforeAll, vi } from "vitest"

/**
 * Keeps logs that contain one of these texts from being printed while the tests of a file run, for what each of them causes by
 * the way. All others are printed, and fail the run.
 */
export const expectLogs = (...texts: ReadonlyArray<string>): void => {
  const { log } = console
  const isExpected = (values: ReadonlyArray<unknown>): boolean => texts.some((text) => values.join(" ").includes(text))
  let restore = () => {}
  beforeAll(() => {
    const spy = vi.spyOn(console, "log").mockImplementation((...values: ReadonlyArray<unknown>) => {
      if (!isExpected(values)) log(...values)
    })
    restore = () => spy.mockRestore()
  })
  afterAll(() => restore())
}

/** What a persistent store without a `secretKey` logs when it gets its first webhook. */
export const clearText = "The URLs and secrets of webhooks are stored in clear text"

/** What the engine logs about a webhook that is gone. */
export const disabledWebhook = "was disabled because it responded 410"

/** What the engine logs of a name that two consumers of a process have. */
export const openTwice = "is open twice in this process"
