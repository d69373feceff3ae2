import { alignTable } from '../../../lib/text/table'
import { type CutResult, type CutSetting, listCutSettings, measureCutSetting } from './cut-promises'
import { measureIntervalPromises } from './interval-promises'

/** The maximum share of draws in which a cut misses its target, and that for fewer than 45 groups. */
const maxMissed = 0.06
const maxMissedOfFewGroups = 0.075

/** Allows for chance: a share of `drawCount` draws is at most three standard errors from the true one. */
const addChance = (share: number, drawCount: number): number =>
  share + 3 * Math.sqrt((share * (1 - share)) / drawCount)

const selectMaxMissed = ({ sampling, labels }: CutSetting): number =>
  sampling.kind === 'groups' && labels / sampling.size < 45 ? maxMissedOfFewGroups : maxMissed

const describeSampling = ({ sampling }: CutSetting): string => {
  if (sampling.kind === 'rows') return 'rows by chance'
  if (sampling.kind === 'review') return '--for review'
  return `groups of ${sampling.size}, ρ ${sampling.correlation}`
}

const describeSetting = (setting: CutSetting): string => {
  const { figure, target, kind, method, labels, sampling } = setting
  const clustered = sampling.kind === 'groups' && sampling.hitCorrelation > 0 ? ', clustered' : ''
  return `${figure} ${target}, ${kind}, ${method}, ${labels} labels, ${describeSampling(setting)}${clustered}`
}

const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`

/**
 * Prints how often policies miss the targets of their cuts, and how often intervals contain the true value. One line of the first table
 * is about all settings with the same target, map and kind of draw. `listsAll` prints each setting too. Sets a failing exit code if a
 * promise is broken by more than chance.
 */
export const reportPromises = (
  cutDraws: number,
  intervalDraws: number,
  listsAll: boolean,
): void => {
  const settings = listCutSettings()
  console.log(
    `\ncuts of svc calibrate (${settings.length} settings, ${cutDraws} seeded draws each)\n`,
  )
  const results = settings.map((setting, i) => measureCutSetting(setting, cutDraws, i))
  if (listsAll)
    for (const { setting, found, missed } of results)
      console.log(
        `${describeSetting(setting)}: found ${formatPercent(found)}, missed ${formatPercent(missed)}`,
      )
  console.log(tabulateCuts(results))
  const broken = results.filter(
    ({ setting, missed }) => missed > addChance(selectMaxMissed(setting), cutDraws),
  )
  for (const { setting, missed } of broken)
    console.log(`missed too often: ${describeSetting(setting)}: ${formatPercent(missed)}`)
  console.log(`\nintervals of svc eval and svc share (${intervalDraws} seeded draws)\n`)
  const intervals = measureIntervalPromises(intervalDraws)
  console.log(
    alignTable(
      1,
      ['interval', 'contains the true value', 'promised'],
      intervals.map(({ setting, coverage, minCoverage }) => [
        setting,
        formatPercent(coverage),
        formatPercent(minCoverage),
      ]),
    ),
  )
  const rare = intervals.filter(
    ({ coverage, minCoverage }) => 1 - coverage > addChance(1 - minCoverage, intervalDraws),
  )
  for (const { setting, coverage } of rare)
    console.log(`contains the true value too rarely: ${setting}: ${formatPercent(coverage)}`)
  if (broken.length + rare.length > 0) process.exitCode = 1
}

const tabulateCuts = (results: ReadonlyArray<CutResult>): string => {
  const resultsByLine = new Map<string, CutResult[]>()
  for (const result of results) {
    const { figure, target, method } = result.setting
    const line = [`${figure} ${target}`, method, describeSampling(result.setting)].join('\t')
    resultsByLine.set(line, [...(resultsByLine.get(line) ?? []), result])
  }
  const rows = [...resultsByLine].map(([line, lineResults]) => {
    const missed = lineResults.map((result) => result.missed)
    const found = lineResults.map((result) => result.found)
    const average = (shares: ReadonlyArray<number>): number =>
      shares.reduce((total, share) => total + share, 0) / shares.length
    return [
      ...line.split('\t'),
      String(lineResults.length),
      formatPercent(average(found)),
      formatPercent(average(missed)),
      formatPercent(Math.max(...missed)),
    ]
  })
  return alignTable(
    3,
    ['target', 'map', 'labels', 'settings', 'cut found', 'missed', 'in the worst'],
    rows,
  )
}
