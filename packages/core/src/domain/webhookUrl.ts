/** Why no sender would send to a URL, whatever it allows; undefined if there is no reason. */
export const webhookUrlProblem = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return "The URL cannot be parsed. Send an absolute one, such as https://example.com/hook."
  if (url.protocol !== "https:") return `The URL begins with ${url.protocol}//. Use https.`
  if (url.username !== "" || url.password !== "")
    return "The URL contains a user name or password. Remove it; verify the signature instead."
  if (url.hash !== "") return "The URL has a fragment (#). Remove it."
  return undefined
}
