/** Copies the data of an event, as its JSON would be parsed. */
export const copyOfData = <Data extends object>(data: Data): Data => {
  const copy = { ...data }
  for (const name in copy) {
    const value = copy[name]
    if (value === undefined || (typeof value === "object" && value !== null)) return JSON.parse(JSON.stringify(data))
  }
  return copy
}

/** Makes the data of an event from the values of a list, starting at an index. */
export type EventShape = (values: ReadonlyArray<unknown>, at: number) => object

/** The data of frequent events. They are literals because V8 takes twice as long to add fields by their names. */
const frequent: ReadonlyArray<EventShape> = [
  (values, at) => ({
    petId: values[at],
    quantity: values[at + 1],
    status: values[at + 2],
    reserved: values[at + 3],
    available: values[at + 4],
    held: values[at + 5],
    version: values[at + 6]
  }),
  (values, at) => ({
    id: values[at],
    name: values[at + 1],
    categoryId: values[at + 2],
    status: values[at + 3],
    version: values[at + 4]
  }),
  (values, at) => ({
    id: values[at],
    name: values[at + 1],
    categoryId: values[at + 2],
    status: values[at + 3],
    version: values[at + 4],
    previous: values[at + 5]
  }),
  (values, at) => ({
    id: values[at],
    petId: values[at + 1],
    quantity: values[at + 2],
    complete: values[at + 3],
    state: values[at + 4],
    version: values[at + 5]
  }),
  (values, at) => ({
    id: values[at],
    petId: values[at + 1],
    quantity: values[at + 2],
    shipDate: values[at + 3],
    complete: values[at + 4],
    state: values[at + 5],
    version: values[at + 6]
  }),
  (values, at) => ({
    id: values[at],
    message: values[at + 1],
    status: values[at + 2],
    createdAt: values[at + 3]
  }),
  (values, at) => ({
    id: values[at],
    message: values[at + 1],
    status: values[at + 2],
    createdAt: values[at + 3],
    attempts: values[at + 4],
    deliveredAt: values[at + 5]
  }),
  (values, at) => ({ id: values[at] })
]

const byFields: ReadonlyMap<string, EventShape> = new Map(
  frequent.map((shape) => [Object.keys(shape([], 0)).join(), shape])
)

/** Returns what makes data with these fields. */
export const shapeOf = (fields: ReadonlyArray<string>): EventShape =>
  byFields.get(fields.join()) ??
  ((values, at) => Object.fromEntries(fields.map((name, index) => [name, values[at + index]])))
