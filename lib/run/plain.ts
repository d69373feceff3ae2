/** JSON as `JSON.parse` gives it: quick to read; literals and the order of names such as `10` are lost. */
export type Plain = string | number | boolean | null | ReadonlyArray<Plain> | PlainObject

/** An object from outside. It inherits `toString` and the like: ask it for other names only, or go through its keys. */
export type PlainObject = { readonly [name: string]: Plain }

/** The object, `undefined` where the value is something else. */
export const objectOf = (value: Plain | undefined): PlainObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as PlainObject)
    : undefined

/** The names of an object in the order of its text, which `text` gives; plain objects put names such as `10` first, so that it is asked only where one is. */
export const namesInOrder = (
  object: PlainObject,
  text: () => ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const names = Object.keys(object)
  return /^(?:0|[1-9]\d{0,9})$/.test(names[0] ?? '') ? text() : names
}

/** Zero or a whole number above it. */
export const isCount = (value: Plain | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
