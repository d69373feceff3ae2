import { cutTo } from './cut'
import type { Redact } from './redact'

/** The most bytes that are shown of one text from a server. D59 */
const mostBytes = 1024

/**
 * Prepares a text from a server for display: redacts secrets, then cuts it to 1 KiB, with `...` appended. D52,
 * D59
 */
export const field =
  (redact: Redact) =>
  (text: string): string =>
    cutTo(redact.beginning(text, 2 * mostBytes), mostBytes)
