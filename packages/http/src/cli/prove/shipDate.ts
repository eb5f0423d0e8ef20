const first = Date.parse("2100-01-01T00:00:00.000Z")

/** The ship date of the order of a call, which no other call uses: two orders with it are two effects of one key. */
export const shipDateOf = (call: number): string => new Date(first + call).toISOString()

/** The call to which an order belongs; undefined if it belongs to none. */
export const callOfShipDate = (shipDate: string | undefined): number | undefined => {
  const call = Date.parse(shipDate ?? "") - first
  return call > 0 ? call : undefined
}
