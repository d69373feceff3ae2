import { engines } from './engines'

/** What `svc help <topic>` prints beside the help of commands: Markdown by name. */
export const topics: Readonly<Record<string, string>> = { engines }
