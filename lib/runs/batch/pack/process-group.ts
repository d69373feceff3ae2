import * as E from 'fp-ts/Either'
import { convertUsage } from '../../record/record'
import { askItem, type ItemResult, processItem, recordFailure } from '../ask-item'
import { type BatchItem, encodeAnsweredRecord } from '../batch-item'
import type { BatchSetup } from '../batch-setup'
import { askPack, type PackAnswer } from './ask-pack'
import type { StepGroup } from './group-steps'

/**
 * Creates the records of a group, in the order of its steps. With `--pack` the way of a row is:
 *
 *     rows ──► has a record, reused answers or a fault ───────────────────────────────────► record
 *          └─► next rows, up to --pack and the limits of the service
 *                ├─ one row, or larger than a pack may be ──► ASK ALONE
 *                ├─ one of the first --pack-check rows ─────► ASK ALONE, and PACK ► compare; no record of PACK
 *                └─ otherwise ──────────────────────────────► PACK
 *
 *     PACK       one request about all rows of the group (askPack)
 *                  ├─ answered ──► split: a row with all answers ─────────────────────────► record with "pack"
 *                  │                      a row that lacks one ──► ASK ALONE
 *                  ├─ refused, invalid, or every answer is a refusal ──► PACK of each half; a half of one row ► ASK ALONE
 *                  ├─ busy, down or unreachable after all retries ────────────────────────► failed record of each row
 *                  └─ wrong key, no credit, interrupt ────────────────────────────────────► no record, and the run ends
 *     ASK ALONE  the request of a run without --pack (askItem) ───────────────────────────► record
 *
 * The first group after the check waits until the check is finished (`runBatchLoop`). If too many decisions may differ, the run ends
 * there. Nothing survives a kill but the records in the output: `--resume` builds its packs from the rows that have no record, and
 * checks the first of them again. Answers of a pack that were not written are asked again; those that were written never are.
 */
export const processGroup = async (
  group: StepGroup,
  setup: BatchSetup,
): Promise<ReadonlyArray<ItemResult>> => {
  const { steps, packed, isChecked } = group
  const processing = isChecked ? checkPack(packed, setup) : processPack(packed, setup)
  if (isChecked) setup.packing?.check?.track(processing)
  const packedResults = await processing
  const results: ItemResult[] = []
  for (const step of steps) {
    const result = E.isRight(step) ? packedResults.get(step.right.item) : undefined
    results.push(result ?? (await processItem(step, setup)))
  }
  return results
}

type ItemResults = ReadonlyMap<BatchItem, ItemResult>

/** Asks about items in one request, and those again that it left unanswered. */
const processPack = async (
  items: ReadonlyArray<BatchItem>,
  setup: BatchSetup,
): Promise<ItemResults> => {
  if (items.length === 0) return new Map()
  const answers = await askPack(items, setup)
  const results = items.map(async (item, position) => {
    const result = await recordPackAnswer(item, answers[position], setup)
    return [item, result] as const
  })
  return new Map(await Promise.all(results))
}

const recordPackAnswer = async (
  item: BatchItem,
  answer: PackAnswer | undefined,
  setup: BatchSetup,
): Promise<ItemResult> => {
  if (answer === undefined || answer.kind === 'unanswered') return askItem(item, setup)
  if (answer.kind === 'failed') return recordFailure(item, answer.failure, setup)
  const record = encodeAnsweredRecord(item, setup.plan, { ...answer.answers, isReused: false })
  return answer.isUnpriced
    ? { record, itemEnd: { kind: 'unpriced', index: item.row.index } }
    : { record }
}

/**
 * Asks about items alone and also in one request, and compares the answers. The records have the answers given alone. Nothing is
 * compared for items that only one of both ways has answered.
 */
const checkPack = async (
  items: ReadonlyArray<BatchItem>,
  setup: BatchSetup,
): Promise<ItemResults> => {
  const [packAnswers, aloneResults] = await Promise.all([
    askPack(items, setup),
    Promise.all(items.map((item) => askItem(item, setup))),
  ])
  const { packing } = setup
  const results = new Map<BatchItem, ItemResult>()
  for (const [position, item] of items.entries()) {
    const alone = aloneResults[position] ?? {}
    const packAnswer = packAnswers[position]
    const unpriced = { kind: 'unpriced', index: item.row.index } as const
    results.set(
      item,
      alone.record !== undefined && packAnswer?.isUnpriced
        ? { itemEnd: unpriced, ...alone }
        : alone,
    )
    if (packAnswer?.kind !== 'answered') continue
    packing?.addLostUsage(convertUsage(packAnswer.answers.response))
    if (alone.record !== undefined && alone.record.failure === undefined)
      packing?.check?.compare(item, alone.record, packAnswer.answers)
  }
  return results
}
