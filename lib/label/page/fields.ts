/** A field of a row with its text. A row of one text has a field without a name. */
export interface ReadableField {
  readonly name: string
  readonly text: string
}

/** Lays out a row for reading. A single text needs no name, and a JSON object becomes one field for each member. */
export const layOutFields = (
  fields: ReadonlyArray<ReadableField>,
): ReadonlyArray<ReadableField> => {
  const open = fields.flatMap(({ name, text }) => {
    const members = readMembers(text)
    if (members === undefined) return [{ name, text }]
    const prefix = fields.length === 1 ? '' : `${name}.`
    return members.map((member) => ({ name: prefix + member.name, text: member.text }))
  })
  const [only] = open
  return open.length === 1 && only !== undefined ? [{ name: '', text: only.text }] : open
}

const readMembers = (text: string): ReadonlyArray<ReadableField> | undefined => {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Object.entries(value as object).map(([name, member]) => ({
      name,
      text: typeof member === 'string' ? member : JSON.stringify(member, null, 2),
    }))
  } catch {
    return undefined
  }
}
