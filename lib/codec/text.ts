import { bufferOf } from '../runtime/buffer-of'
/** Decodes bytes as UTF-8; invalid bytes become U+FFFD. */
export const repairBytes = (bytes: Uint8Array): string => bufferOf(bytes).toString('utf8')

/** Replaces lone surrogates, which UTF-8 cannot encode, by U+FFFD. */
export const repairText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
