import * as E from 'fp-ts/Either'
import type { EngineCallFlag, EngineCallFlags } from '../../lib/cli/client'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { ContextWith } from '../../lib/cli/declaration'
import { makeSingleCall } from '../../lib/cli/single-call'
import { fetchModels } from '../../lib/client/call/client'
import { printEscaped } from '../../lib/codec/json/draft'
import { itemsIn, type JsonValue, memberIn, stringIn } from '../../lib/codec/json/json'
import { encodeModels } from '../../lib/codec/response'
import { alignTable, cleanCell, cutToWidth } from '../../lib/text/table'

interface ModelsOptions extends EngineCallFlags {
  readonly table: boolean
}

type ModelsContext = ContextWith<ModelsOptions, EngineCallFlag>

/** Runs `svc models`: fetches the list of models. */
export const runModels = async (context: ModelsContext): Promise<CommandOutcome> => {
  const call = await makeSingleCall(context, {
    describeOperation: ({ models }) => `GET ${models.path}`,
    use: { purpose: 'models' },
    call: fetchModels,
  })
  if (E.isLeft(call)) return call
  const { models } = call.right.value
  if (context.flags.table) return E.right({ stdout: tabulateModels(itemsIn(models)) })
  const document = encodeModels(call.right.value)
  return E.right({ stdout: printEscaped(document, context.globals.pretty) })
}

/** Formats a table of models: their names, and the dates and descriptions of those that have them. */
const tabulateModels = (models: ReadonlyArray<JsonValue>): string => {
  const textOf = (model: JsonValue, name: string): string => stringIn(memberIn(model, name)) ?? ''
  const rows = models.map((model) => [
    textOf(model, 'name') || textOf(model, 'id'),
    // The date of a time such as 2026-09-10T18:38:01Z.
    textOf(model, 'release_date').slice(0, '2026-09-10'.length),
    textOf(model, 'description'),
  ])
  const headings = ['model', 'released', 'description']
  // A column without a text is left out, but for the names.
  const columns = headings
    .map((_, index) => index)
    .filter((column) => column === 0 || rows.some((row) => row[column]))
  const selectCells = (row: ReadonlyArray<string>) =>
    columns.map((column) => cutToWidth(cleanCell(row[column] ?? ''), maxCellWidth))
  return alignTable(columns.length, selectCells(headings), rows.map(selectCells))
}

/** The maximum width of a cell, in columns of the terminal. */
const maxCellWidth = 80
