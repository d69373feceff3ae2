import type { Dialect, DialectName } from './dialect'

/** Loads a dialect. Each is loaded only when it is used, so that a call starts fast. */
export const loadDialect = async (name: DialectName): Promise<Dialect> => {
  switch (name) {
    case 'questions':
      return (await import('./questions')).questions
    case 'systemone':
      return (await import('./systemone')).systemone
    case 'decisions':
      return (await import('./decisions')).decisions
    case 'gemini':
      return (await import('./gemini')).gemini
  }
}
