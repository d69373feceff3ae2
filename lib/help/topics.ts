import engines from './topics/engines.md'

/** The topics of `svc help`, in Markdown by name. The heading of each tells in a line what the topic is about. */
export const topics: ReadonlyMap<string, string> = new Map(Object.entries({ engines }))

/** What a topic is about: its heading, without a full stop. */
export const titleOf = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1] ?? ''
