import type { Named } from './scenario'

/** Responses that decode and are said not to, or the other way round. */
export const undecodable = (_: Named): ReadonlyArray<string> => []
