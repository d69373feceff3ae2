/** Declares `-i` for the commands that read a run. */
export const runFlag = {
  name: 'input',
  short: 'i',
  type: 'string',
  value: 'path',
  default: '-',
  summary: 'the run, as svc batch wrote it; - reads stdin',
  file: true,
} as const
