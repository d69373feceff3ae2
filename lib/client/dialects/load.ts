import type { Dialect, DialectName } from './dialect'

/** Loads a dialect. Each is loaded only when it is used, so that a call starts fast. */
export const loadDialect = async (name: DialectName): Promise<Dialect> => {
  switch (name) {
    case 'questions':
      return (await import('./questions')).questionsDialect
    case 'systemone':
      return (await import('./systemone')).systemoneDialect
    case 'decisions':
      return (await import('./decisions')).decisionsDialect
    case 'gemini':
      return (await import('./gemini')).geminiDialect
  }
}
