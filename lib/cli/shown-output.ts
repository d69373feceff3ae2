import type { Output } from '../runtime/runtime'
import { withoutCommands } from '../text/harmless'
import type { Redact } from '../text/redact'

/** Lines for people as an output gets them: without secrets, and without commands of CI systems. D52, D59 */
export const shownLines = (lines: string, redact: Redact): string => withoutCommands(redact(lines))

/** An output that only gets such lines, whoever writes to it; each write has to hold whole lines. */
export const shownOutput = (output: Output, redact: Redact): Output => ({
  get isTTY() {
    return output.isTTY
  },
  get columns() {
    return output.columns
  },
  write: (data) =>
    output.write(
      shownLines(typeof data === 'string' ? data : Buffer.from(data).toString(), redact),
    ),
})
