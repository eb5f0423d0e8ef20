import { eventTypes } from "../domain/events/Event.ts"
import { EventType } from "../domain/events/EventType.ts"
import { type EventShape, shapeOf } from "../domain/events/eventShapes.ts"

/** A short form of events, derived from the schema of their type: the values of these fields, in this order. */
export interface EventForm {
  /** Stands for the type and its fields. It has no dot, unlike the names of types. */
  readonly code: string
  readonly type: EventType
  /** The subject of an event is this and its first value. */
  readonly collection: string
  readonly fields: ReadonlyArray<string>
  /** Whether its second value is the id of a row that it names beside its subject. */
  readonly hasRelated: boolean
  /** Makes the data of an event from its values. */
  readonly shape: EventShape
}

/** More than there will be types of events. */
const mostTypes = 128

interface Field {
  readonly name: string
  /** What an optional field adds to the number of forms that have it: 1, 2, 4 and so on; 0 for a required field. */
  readonly bit: number
}

const withBits = (type: EventType): ReadonlyArray<Field> => {
  const { fields } = eventTypes[type]
  const optional = fields.filter(({ isOptional }) => isOptional)
  return fields.map((field) => ({ name: field.name, bit: field.isOptional ? 2 ** optional.indexOf(field) : 0 }))
}

interface TypeForms {
  readonly type: EventType
  readonly place: number
  readonly fields: ReadonlyArray<Field>
  /** The forms that events of this type had so far, by the sum of the bits of their fields. */
  readonly forms: Array<EventForm | undefined>
}

// Files contain the places of types and the bits of fields. So a new type goes to the end of `EventType`, and a new field, which is
// optional, behind the optional fields of its schema.
const types = EventType.literals.map((type, place): TypeForms => ({ type, place, fields: withBits(type), forms: [] }))

const byType: ReadonlyMap<string, TypeForms> = new Map(types.map((rules) => [rules.type, rules]))

const byCode = new Map<string, EventForm>()

/** Makes the form of a type with some of its optional fields. */
const newForm = ({ fields: all, forms, place, type }: TypeForms, present: number): EventForm => {
  const fields = all.filter(({ bit }) => bit === 0 || (present & bit) > 0).map(({ name }) => name)
  const { collection, relatedField } = eventTypes[type]
  const hasRelated = relatedField !== undefined && fields[1] === relatedField
  const code = (present * mostTypes + place).toString(36)
  const form = { code, type, collection: `${collection}/`, fields, hasRelated, shape: shapeOf(fields) }
  forms[present] = form
  byCode.set(code, form)
  return form
}

const formWithCode = (code: string): EventForm | undefined => {
  const number = Number.parseInt(code, 36)
  const rules = types[number % mostTypes]
  const present = Math.floor(number / mostTypes)
  const isForm =
    rules !== undefined &&
    number.toString(36) === code &&
    present <= rules.fields.reduce((sum, { bit }) => sum + bit, 0)
  return isForm ? newForm(rules, present) : undefined
}

/** Returns the form that a code stands for; undefined if there is none. */
export const eventFormOf = (code: string): EventForm | undefined => byCode.get(code) ?? formWithCode(code)

/** Returns the form of an event; undefined if its data has other fields than its type, or in another order. */
export const eventFormFor = (type: EventType, data: object): EventForm | undefined => {
  const rules = byType.get(type)
  if (rules === undefined) return undefined
  const { fields, forms } = rules
  let present = 0
  let next = 0
  for (const name in data) {
    let field = fields[next++]
    while (field !== undefined && field.name !== name && field.bit !== 0) field = fields[next++]
    if (field?.name !== name) return undefined
    present += field.bit
  }
  for (; next < fields.length; next++) if (fields[next]?.bit === 0) return undefined
  return forms[present] ?? newForm(rules, present)
}
