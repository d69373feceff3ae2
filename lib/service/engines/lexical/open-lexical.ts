import * as TE from 'fp-ts/TaskEither'
import type { AnsweringEngine } from '../../contract/engine'
import type { OpenEngine } from '../../contract/engine-settings'
import { createLexicalEngine } from './engine'

/** Opens the engine that compares words. It never fails. */
export const openLexical: OpenEngine<AnsweringEngine> = () => TE.right(createLexicalEngine())
