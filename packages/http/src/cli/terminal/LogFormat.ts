/** How the log is written. */
export const logFormats = ["auto", "pretty", "logfmt", "json"] as const

export type LogFormat = (typeof logFormats)[number]
