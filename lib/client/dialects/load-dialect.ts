import type { Dialect, DialectName } from './dialect'

/** Loads a dialect on first use, because loading all of them would slow down the start of a call. */
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
