/** Declares `--policy`, for the commands whose documents say which answers to accept. R23 */
export const policyFlag = {
  name: 'policy',
  type: 'string',
  value: 'path',
  summary: 'tell by a policy of svc calibrate which answers to accept',
  file: true,
} as const

/** Declares `--pin`, for the commands that can exit with 8. R23 */
export const pinFlag = {
  name: 'pin',
  type: 'bool',
  summary: 'with --policy, exit with 8 where another model answered than it was made from',
} as const
