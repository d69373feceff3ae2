import { suggest } from '../text/suggestion'
import agents from './topics/agents.md'
import batches from './topics/batches.md'
import comingFrom from './topics/coming-from.md'
import engines from './topics/engines.md'
import environment from './topics/environment.md'
import exitCodes from './topics/exit-codes.md'
import fixtures from './topics/fixtures.md'
import formats from './topics/formats.md'
import gates from './topics/gates.md'
import images from './topics/images.md'
import library from './topics/library.md'
import measuring from './topics/measuring.md'
import ownModel from './topics/own-model.md'
import providers from './topics/providers.md'
import questions from './topics/questions.md'
import request from './topics/request.md'
import requirements from './topics/requirements.md'
import review from './topics/review.md'
import scaling from './topics/scaling.md'
import security from './topics/security.md'
import serving from './topics/serving.md'
import tracing from './topics/tracing.md'
import troubleshooting from './topics/troubleshooting.md'

/** The topics of `svc help`: Markdown by name. The heading of each topic is its title. */
export const topics: ReadonlyMap<string, string> = new Map(
  Object.entries({
    agents,
    batches,
    'coming-from': comingFrom,
    engines,
    environment,
    'exit-codes': exitCodes,
    fixtures,
    formats,
    gates,
    images,
    library,
    measuring,
    'own-model': ownModel,
    providers,
    questions,
    request,
    requirements,
    review,
    scaling,
    security,
    serving,
    tracing,
    troubleshooting,
  }),
)

/** Suggests topics with a name similar to `word`, as the end of a message; `''` if there are none. */
export const suggestTopic = (word: string): string => suggest(word, [...topics.keys()], 'svc help ')

/** Returns the text of a topic's first block of code; `''` if it has none. */
export const findFirstCodeBlock = (markdown: string): string =>
  /^```\w+\n([\s\S]*?)^```/m.exec(markdown)?.[1] ?? ''

/** Returns the title of a topic. */
export const parseTitle = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1] ?? ''
