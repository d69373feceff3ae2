import { cutTo } from './cut'
import type { Redact } from './redact'

/** Most bytes that are shown of one field of what someone else says. D59 */
const mostBytes = 1024

/** One field of what someone else says, for showing: without secrets, and then cut to 1 KiB and `...`. D52, D59 */
export const field =
  (redact: Redact) =>
  (text: string): string =>
    cutTo(redact.beginning(text, 2 * mostBytes), mostBytes)
