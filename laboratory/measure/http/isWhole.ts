/** Whether a text is a whole response with the length that its head states. */
export const isWhole = (text: string): boolean => {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return false
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
  return text.length >= head + 4 + length
}
