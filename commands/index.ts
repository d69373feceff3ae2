import { type AnyCommand, command } from '../lib/cli/declaration'
import { askCommand } from './ask'
import { batchCommand } from './batch'
import { calibrateCommand } from './calibrate'
import { compareCommand } from './compare'
import { completionCommand } from './completion'
import { evalCommand } from './eval'
import { gateCommand } from './gate'
import { helpCommand } from './help'
import { mcpCommand } from './mcp'
import { modelsCommand } from './models'
import { reviewCommand } from './review'
import { reviewInitCommand } from './review-init'
import { sampleCommand } from './sample'
import { serveCommand } from './serve'
import { versionCommand } from './version'

/** All commands: the declaration of each, and the import of its work, which happens when the command runs. */
export const commands: ReadonlyArray<AnyCommand> = [
  command(askCommand, () => import('./ask-run')),
  command(batchCommand, () => import('./batch-run')),
  command(calibrateCommand, () => import('./calibrate-run')),
  command(compareCommand, () => import('./compare-run')),
  command(completionCommand, () => import('./completion-run')),
  command(evalCommand, () => import('./eval-run')),
  command(gateCommand, () => import('./gate-run')),
  command(helpCommand, () => import('./help-run')),
  command(mcpCommand, () => import('./mcp-run')),
  command(modelsCommand, () => import('./models-run')),
  command(reviewCommand, () => import('./review-run')),
  command(reviewInitCommand, () => import('./review-init-run')),
  command(sampleCommand, () => import('./sample-run')),
  command(serveCommand, () => import('./serve-run')),
  command(versionCommand, () => import('./version-run')),
]
