const pattern = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * The URLs of the single hosts of a URL with several, such as `postgres://user@one:5432,two:5432/shop`, in their order. A URL
 * with one host, or with a socket, stays as it is.
 */
export const urlsOf = (url: string): ReadonlyArray<string> => {
  const [, start = "", hosts = "", rest = ""] = pattern.exec(url) ?? []
  return hosts.includes(",") ? hosts.split(",").map((host) => `${start}${host}${rest}`) : [url]
}

/** Host, port and database of a URL, without user and password, for messages. */
export const addressOf = (url: string): string => {
  const [, , hosts = "", rest = ""] = pattern.exec(url) ?? []
  const address = `${hosts}${rest.replace(/[?#].*$/s, "")}`
  // A password with a slash looks like the end of the host.
  return address.includes("@") ? "the database" : address
}
