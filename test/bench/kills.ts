import { interrupted } from '../process/killed'

/** Kills runs of `svc batch` so often, at random moments. Throws unless each came out as if it had been left alone. */
export const reportKills = async (kills: number): Promise<void> => {
  console.log(`\nsvc batch, killed ${kills} times and resumed`)
  const { runs, again } = await interrupted(kills, 'SIGKILL', () => undefined)
  console.log(
    `  ${runs} runs, all as if left alone; ${again} rows asked again, those in flight at a kill`,
  )
}
