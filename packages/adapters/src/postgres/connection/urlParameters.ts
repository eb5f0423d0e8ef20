/** What a URL says beside the place: options of the adapter, and what the driver takes as an option only. */
export interface UrlParameters {
  /** The URL for the driver. */
  readonly url: string
  readonly prepare?: boolean
  readonly maxConnections?: number
}

/** Parameters that `pg` reads in a URL, and that change nothing that the adapter depends on. */
const ofDriver = new Set([
  "application_name",
  "database",
  "db",
  "fallback_application_name",
  "host",
  "options",
  "password",
  "port",
  "query_timeout",
  "ssl",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslnegotiation",
  "sslrootcert",
  "uselibpqcompat",
  "user"
])

/** Those that say what the adapter does anyway. Some services write them into their URLs. */
const asItIs: Readonly<Record<string, ReadonlyArray<string>>> = {
  channel_binding: ["prefer", "disable"],
  client_encoding: ["utf8", "UTF8"],
  encoding: ["utf8", "UTF8"],
  target_session_attrs: ["read-write", "primary"]
}

/** Those that are options of the adapter under another name. */
const options: Readonly<Record<string, string>> = {
  connect_timeout: "connectTimeout",
  connection_limit: "maxConnections",
  lock_timeout: "lockTimeout",
  max: "maxConnections",
  pgbouncer: "prepare",
  schema: "schema",
  statement_timeout: "statementTimeout"
}

const binding = "channel_binding=require"

/** Whether a URL asks for channel binding, which `pg` has as an option only. It is used if the server offers it. */
export const bindsChannel = (url: string): boolean => url.includes(binding)

const wholeNumber = /^[1-9]\d{0,3}$/

/**
 * Reads the parameters of a URL. Throws a TypeError for one that nobody reads: ignoring it would do something else than is
 * written. The message shows the name of a parameter, and nothing else of the URL.
 */
export const readParameters = (text: string): UrlParameters => {
  const [, start = text, query = ""] = /^([^?]*)\?(.*)$/s.exec(text) ?? []
  const parts = query.split("&").filter((part) => part !== "")
  const kept: Array<string> = []
  let own: Omit<UrlParameters, "url"> = {}
  for (const part of parts) {
    const [[name, value] = ["", ""]] = new URLSearchParams(part)
    if (name === "prepare" && /^(?:true|false)$/.test(value)) own = { ...own, prepare: value === "true" }
    else if (name === "maxConnections" && wholeNumber.test(value)) own = { ...own, maxConnections: Number(value) }
    else if (ofDriver.has(name) || part === binding) kept.push(part)
    else if (asItIs[name]?.includes(value) !== true) throw new TypeError(problemOf(name, query))
  }
  return { url: kept.length === 0 ? start : `${start}?${kept.join("&")}`, ...own }
}

const problemOf = (name: string, query: string): string => {
  if (name === "prepare") return "The parameter prepare of the URL takes true or false"
  if (name === "maxConnections") return "The parameter maxConnections of the URL takes a whole number of 1 or more"
  const option = options[name]
  if (option !== undefined)
    return `The URL has the parameter ${name}, which is not read. Set the option ${option} instead.`
  // A password with a question mark looks like parameters.
  const shown = /^\w+$/.test(name) && !query.includes("@") ? `the parameter ${name}` : "a parameter"
  return `The URL has ${shown} or a value of it that neither the petstore nor pg reads. Leave it out; the characters ? and & of a password are written %3F and %26.`
}
