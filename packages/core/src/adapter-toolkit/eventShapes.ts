/** Makes the data of an event from the values of a list, starting at an index. */
export type EventShape = (values: ReadonlyArray<unknown>, at: number) => object

/**
 * The data of frequent events. They are literals because V8 takes twice as long to add fields by their names. SQLite files contain
 * values in this order, so a shape is never changed.
 */
export const eventShapes: Readonly<
  Record<"stock" | "pet" | "petBefore" | "order" | "datedOrder" | "message" | "sentMessage" | "only", EventShape>
> = {
  stock: (values, at) => ({
    petId: values[at],
    quantity: values[at + 1],
    status: values[at + 2],
    reserved: values[at + 3],
    available: values[at + 4],
    held: values[at + 5],
    version: values[at + 6]
  }),
  pet: (values, at) => ({
    id: values[at],
    name: values[at + 1],
    categoryId: values[at + 2],
    status: values[at + 3],
    version: values[at + 4]
  }),
  petBefore: (values, at) => ({
    id: values[at],
    name: values[at + 1],
    categoryId: values[at + 2],
    status: values[at + 3],
    version: values[at + 4],
    previous: values[at + 5]
  }),
  order: (values, at) => ({
    id: values[at],
    petId: values[at + 1],
    quantity: values[at + 2],
    complete: values[at + 3],
    state: values[at + 4],
    version: values[at + 5]
  }),
  datedOrder: (values, at) => ({
    id: values[at],
    petId: values[at + 1],
    quantity: values[at + 2],
    shipDate: values[at + 3],
    complete: values[at + 4],
    state: values[at + 5],
    version: values[at + 6]
  }),
  message: (values, at) => ({
    id: values[at],
    message: values[at + 1],
    status: values[at + 2],
    createdAt: values[at + 3]
  }),
  sentMessage: (values, at) => ({
    id: values[at],
    message: values[at + 1],
    status: values[at + 2],
    createdAt: values[at + 3],
    attempts: values[at + 4],
    deliveredAt: values[at + 5]
  }),
  only: (values, at) => ({ id: values[at] })
}

/** Returns the names of the fields of a shape, in their order. */
export const fieldsOf = (shape: EventShape): ReadonlyArray<string> => Object.keys(shape([], 0))
