/** Divides a number of rows among statements, of which the largest come first. */
export const partsOf = <Part extends { readonly count: number }>(rows: number, statements: ReadonlyArray<Part>) => {
  const parts: Array<Part & { readonly start: number }> = []
  let start = 0
  for (const part of statements) {
    for (; rows - start >= part.count; start += part.count) parts.push({ ...part, start })
  }
  return parts
}
