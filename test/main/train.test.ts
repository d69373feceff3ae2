import { Readable } from 'node:stream'
import Ajv from 'ajv/dist/2020.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import schema from '../../lib/measure/train/svc-model.schema.json'
import { createRandom } from '../../lib/runtime/random'
import type { Fetch } from '../../lib/runtime/runtime'
import { createTickets, topics } from '../measure/train/tickets'
import {
  type AnsweredTicket,
  formatTicketRun,
  formatTicketTable,
  topicQuestions,
} from '../measure/train/training-run'
import { type MainOptions, runMain } from './run-main'

const test = suite('svc train')

const isValidBySchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema)

/** Runs `svc` with arguments that are separated by blanks, and checks its exit code. */
const runSvc = async (command: string, options: Omit<MainOptions, 'argv'>, code = 0) => {
  const result = await runMain({ argv: command.split(' '), ...options })
  assert.is(result.code, code, `${command}\n${result.stderr}`)
  return result
}

/** Answers tickets like a person who is always right, for the first `labelled` ones also as a label. */
const answerRight = (count: number, labelled: number, seed = 1): ReadonlyArray<AnsweredTicket> =>
  createTickets(count, seed).map((ticket, i) => ({
    ...ticket,
    answer: ticket.topic,
    label: i < labelled ? ticket.topic : undefined,
  }))

const tickets = answerRight(200, 150)

const files = {
  'questions.json': topicQuestions,
  'tickets.csv': formatTicketTable(tickets),
  'run.jsonl': formatTicketRun(tickets),
}

const parseLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const trainCommand = 'train -i run.jsonl --rows tickets.csv -f questions.json -o tickets.model.json'

test('learns from the labels of a run, and says how right it is', async () => {
  const { stdout, files: written } = await runSvc(trainCommand, { files })
  const { model, questions } = JSON.parse(stdout)
  assert.match(model, /^own-[0-9a-f]{12}$/)
  assert.is(questions.topic.rows, 150)
  assert.is(questions.topic.from, 'labels')
  assert.ok(questions.topic.accuracy > 0.75, String(questions.topic.accuracy))
  assert.ok(questions.topic.intervals.accuracy.low < questions.topic.accuracy)
  assert.ok(questions.topic.baseline.accuracy < 0.5)
  assert.ok(isValidBySchema(JSON.parse(written['tickets.model.json'] ?? '')))
})

test('--table says in a sentence how right it is', async () => {
  const { stdout } = await runSvc(`${trainCommand} --table`, { files })
  assert.match(
    stdout,
    /^topic: By 150 labels it is right in about \d\d % \(surely \d\d to \d\d(\.\d)? %\); always "\w+" would be right in \d\d %\.\n$/,
  )
})

test('a second run writes the same file, and the seed matters', async () => {
  const [first, second, other] = await Promise.all(
    ['', ' --seed 0', ' --seed 1'].map((flags) => runSvc(trainCommand + flags, { files })),
  )
  assert.is(first?.files['tickets.model.json'], second?.files['tickets.model.json'])
  assert.not.equal(first?.stdout, other?.stdout)
})

test('texts come from the records too, with the same result', async () => {
  const withState = { ...files, 'run.jsonl': formatTicketRun(tickets, { withState: true }) }
  const byRows = await runSvc(trainCommand, { files })
  const byState = await runSvc(trainCommand.replace(' --rows tickets.csv', ''), {
    files: withState,
  })
  assert.is(byState.files['tickets.model.json'], byRows.files['tickets.model.json'])
})

test('the labels in the rows are not part of the texts', async () => {
  // The state of the run is the column `text` only.
  const rows = `id,text,topic\n${tickets.map(({ text, topic }, i) => `t${i},${text},${topic}\n`).join('')}`
  const plain = await runSvc(trainCommand, { files })
  const labelled = await runSvc(trainCommand, { files: { ...files, 'tickets.csv': rows } })
  assert.is(labelled.files['tickets.model.json'], plain.files['tickets.model.json'])
})

test('--provider own answers with the model, under the name that svc train printed', async () => {
  const { stdout, files: trained } = await runSvc(trainCommand, { files })
  const fresh = createTickets(100, 2)
  const { stdout: answers } = await runSvc(
    'batch --provider own --model tickets.model.json -f questions.json -i all.csv --state-field text',
    { files: { ...trained, 'all.csv': formatTicketTable(fresh) } },
  )
  const records = parseLines(answers)
  assert.is(records.length, 100)
  assert.is(records[0].model, JSON.parse(stdout).model)
  const right = records.filter(({ answers }, i) => answers.topic.choice === fresh[i]?.topic)
  assert.ok(right.length > 75, String(right.length))
})

test('other questions are a validation error that names them, and end a batch after 20 rows', async () => {
  const { files: trained } = await runSvc(trainCommand, { files })
  const { stdout, stderr } = await runSvc(
    'batch --provider own --model tickets.model.json --noul urgent=Urgent? -i tickets.csv --state-field text',
    { files: trained },
    2,
  )
  const records = parseLines(stdout)
  assert.is(records.length, 20)
  assert.is(records[0].error.kind, 'validation')
  assert.match(stderr, 'questions.urgent: the model was not trained for this question')
})

test('--out-of-fold writes a run with the same accuracy, and with the ids and labels of the run', async () => {
  const { stdout, files: written } = await runSvc(`${trainCommand} --out-of-fold oof.jsonl`, {
    files,
  })
  const { stdout: evaluated } = await runSvc('eval -i oof.jsonl', { files: written })
  const { model, questions } = JSON.parse(stdout)
  const measured = JSON.parse(evaluated).questions.topic
  assert.is(measured.accuracy, questions.topic.accuracy)
  assert.ok(Math.abs(measured.log_loss - questions.topic.log_loss) < 1e-3)
  const [first = ''] = (written['oof.jsonl'] ?? '').split('\n')
  const record = JSON.parse(first)
  assert.is(record.model, model)
  assert.equal(record.labels, { topic: tickets[0]?.topic })
  assert.is(record.state_sha256, JSON.parse(files['run.jsonl'].split('\n')[0] ?? '').state_sha256)
})

test('--from answers learns from the answers, and says how right these are', async () => {
  const random = createRandom(5)
  const wrong = tickets.map((ticket) => ({
    ...ticket,
    answer: random.nextFloat() < 0.1 ? (topics[random.nextInt(3)] ?? '') : ticket.topic,
  }))
  const { stdout } = await runSvc(`${trainCommand} --from answers`, {
    files: { ...files, 'run.jsonl': formatTicketRun(wrong) },
  })
  const { topic } = JSON.parse(stdout).questions
  const labelled = wrong.slice(0, 150)
  const rightAnswers = labelled.filter(({ answer, topic }) => answer === topic).length
  assert.equal([topic.rows, topic.from, topic.labelled], [200, 'answers', 150])
  assert.ok(Math.abs(topic.teacher_accuracy - rightAnswers / 150) < 1e-9)
  assert.ok(topic.agreement > 0.7)
})

test('without labels it learns from the answers, and the accuracy is null', async () => {
  const { stdout } = await runSvc(trainCommand, {
    files: { ...files, 'run.jsonl': formatTicketRun(answerRight(200, 0)) },
  })
  const { topic } = JSON.parse(stdout).questions
  assert.equal([topic.from, topic.rows, topic.accuracy], ['answers', 200, null])
  assert.is(topic.why.accuracy, 'no row has a label')
})

test('a label with fewer than 5 rows gets the probability 0, and is named', async () => {
  const rare = tickets.filter(({ topic }) => topic !== 'login').slice(0, 80)
  const some = [...rare, ...tickets.filter(({ topic }) => topic === 'login').slice(0, 4)]
  const {
    stdout,
    stderr,
    files: written,
  } = await runSvc(trainCommand, {
    files: {
      ...files,
      'run.jsonl': formatTicketRun(some.map((ticket) => ({ ...ticket, label: ticket.topic }))),
      'tickets.csv': formatTicketTable(some),
    },
  })
  const message = '"login" has fewer than 5 rows: the probability is 0'
  assert.is(stderr, `train: topic: ${message}\n`)
  const { topic } = JSON.parse(stdout).questions
  assert.is(topic.why.labels, message)
  // The rows with that label are wrong in the figures.
  assert.ok(topic.accuracy <= 80 / 84)
  const { stdout: answer } = await runSvc(
    'ask --provider own --model tickets.model.json -f request.json',
    { files: { ...written, 'request.json': topicQuestions.replace('{', '{"state":"login",') } },
  )
  assert.is(JSON.parse(answer).answers.topic.probabilities.login, 0)
})

test('a question with fewer than 30 rows gets no model, and no file is written', async () => {
  const few = answerRight(100, 29)
  const { stderr, files: written } = await runSvc(
    trainCommand,
    {
      files: {
        ...files,
        'run.jsonl': formatTicketRun(few),
        'tickets.csv': formatTicketTable(few),
      },
    },
    1,
  )
  assert.match(stderr, 'no question can be trained: topic: a model takes 30 rows, and there are 29')
  assert.not('tickets.model.json' in written)
})

test('rows of one group are not divided between training and measuring', async () => {
  // Two tickets of a group have the same text but for a word, and a label by chance: only a model that has seen the other is right.
  const random = createRandom(9)
  const pairs = createTickets(150, 3).flatMap(({ text }, i): ReadonlyArray<AnsweredTicket> => {
    const topic = topics[random.nextInt(3)] ?? ''
    const ticket = { topic, answer: topic, label: topic, group: `g${i}` }
    return [
      { ...ticket, text: `word${i} thing${i} ${text}` },
      { ...ticket, text: `word${i} thing${i} again ${text}` },
    ]
  })
  const run = async (rows: ReadonlyArray<AnsweredTicket>): Promise<number> => {
    const { stdout } = await runSvc(trainCommand, {
      files: {
        ...files,
        'run.jsonl': formatTicketRun(rows),
        'tickets.csv': formatTicketTable(rows),
      },
    })
    return JSON.parse(stdout).questions.topic.accuracy
  }
  const grouped = await run(pairs)
  const ungrouped = await run(pairs.map((pair) => ({ ...pair, group: undefined })))
  assert.ok(grouped < 0.45, String(grouped))
  assert.ok(ungrouped > 0.6, String(ungrouped))
})

/** The messages of invalid input, by command line. `{}` stands for the valid command line. */
const faults: ReadonlyArray<{
  readonly title: string
  readonly command: string
  readonly files?: Readonly<Record<string, string>>
  readonly message: string
}> = [
  { title: 'no output', command: 'train -i run.jsonl', message: '-o is required' },
  {
    title: 'no texts',
    command: 'train -i run.jsonl -o m.json',
    message: 'run.jsonl: line 1: there is no "state": pass --rows with the input of the run',
  },
  {
    title: 'another input',
    command: 'train -i run.jsonl --rows other.csv -o m.json',
    files: { 'other.csv': 'id,text\n1,Hello\n' },
    message: 'other.csv: the row of index 0 is not the one that was asked',
  },
  {
    title: 'a file that is not empty',
    command: 'train -i run.jsonl --rows tickets.csv -o m.json',
    files: { 'm.json': 'work' },
    message: 'm.json is not empty; pass --overwrite to replace it',
  },
  {
    title: 'a run of --out-of-fold that is not empty',
    command: 'train -i run.jsonl --rows tickets.csv -o m.json --out-of-fold oof.jsonl',
    files: { 'oof.jsonl': 'work' },
    message: 'oof.jsonl is not empty; pass --overwrite to replace it',
  },
  {
    title: 'questions that the run does not have',
    command: 'train -i run.jsonl --rows tickets.csv -f other.json -o m.json',
    files: { 'other.json': '{"questions":{"q":{"type":"noul","instructions":"?"}}}' },
    message: '--file has other questions than the run',
  },
  {
    title: 'labels that are not there',
    command: 'train -i run.jsonl --rows tickets.csv --from labels -o m.json',
    files: { 'run.jsonl': formatTicketRun(answerRight(200, 0)) },
    message: 'no labels: svc batch --label, --labels, or svc sample',
  },
  {
    title: 'two sets of questions',
    command: 'train -i run.jsonl --rows tickets.csv -o m.json',
    files: {
      'run.jsonl': files['run.jsonl'].replace(
        /"questions_sha256":"\w+"/,
        `"questions_sha256":"${'0'.repeat(64)}"`,
      ),
    },
    message: 'the run has answers to several sets of questions',
  },
]

for (const { title, command, files: others, message } of faults)
  test(`refuses ${title}`, async () => {
    const before = { ...files, ...others }
    const { stderr, files: after } = await runSvc(command, { files: before }, 1)
    assert.match(stderr, message)
    assert.equal(after, before)
  })

test('the way from answers and a few labels to a cheaper run keeps the margin', async () => {
  const rowCount = 2_000
  const random = createRandom(11)
  const all = createTickets(rowCount, 4)
  /** The answers of a teacher that is right in 92 %. */
  const teacherAnswers = new Map(
    all.map(({ text, topic }) => [
      text,
      random.nextFloat() < 0.92 ? topic : (topics.find((other) => other !== topic) ?? ''),
    ]),
  )
  let teacherCalls = 0
  const askTeacher: Fetch = async (_, { body }) => {
    teacherCalls += 1
    const chosen = teacherAnswers.get(JSON.parse(String(body)).state) ?? ''
    const probabilities = Object.fromEntries(
      topics.map((topic) => [topic, topic === chosen ? 0.9 : 0.05]),
    )
    const answer = { type: 'choice', choice: chosen, confidence: 0.85, probabilities }
    const document = { model: 'teacher', answers: { topic: answer }, usage: {} }
    const text = JSON.stringify(document)
    return { status: 200, header: () => null, body: Readable.from([Buffer.from(text)]) }
  }
  const env = { SERVICE_BASE_URL: 'http://teacher.invalid', SERVICE_API_KEY: 'k' }
  const labelledCount = 200
  /** A person labels 200 rows, which were drawn by chance: the rows are in random order. */
  const labels = all.slice(0, labelledCount).map(({ topic }, i) => `${i},${topic}\n`)
  let current: Readonly<Record<string, string>> = {
    'questions.json': topicQuestions,
    'all.csv': formatTicketTable(all),
    'labels.csv': `index,topic.label\n${labels.join('')}`,
  }
  const run = async (command: string) => {
    const result = await runSvc(command, { files: current, env, fetch: askTeacher })
    current = result.files
    return result.stdout
  }
  /** Runs `svc batch`, which prints its records, and saves them as a file. */
  const runBatch = async (path: string, command: string) => {
    const stdout = await run(`batch${command} -f questions.json -i all.csv --state-field text`)
    current = { ...current, [path]: stdout }
    return parseLines(stdout)
  }
  await runBatch('teacher.jsonl', '')
  assert.is(teacherCalls, rowCount)
  await run(
    'train -i teacher.jsonl --rows all.csv --labels labels.csv --from answers -f questions.json -o m.json --out-of-fold oof.jsonl',
  )
  const cascade = await run(
    'cascade oof.jsonl teacher.jsonl --margin 0.03 --labels labels.csv -o policy.json',
  )
  assert.type(JSON.parse(current['policy.json'] ?? '').questions.topic.cut.at, 'number', cascade)
  await runBatch('own.jsonl', ' --provider own --model m.json --policy policy.json')
  teacherCalls = 0
  const answers = await runBatch(
    'final.jsonl',
    ' --reuse own.jsonl --reuse-where topic.outcome=="accept"',
  )
  assert.ok(teacherCalls < rowCount / 2, `the teacher was asked about ${teacherCalls} rows`)
  /** The share of right answers in the rows whose labels nobody used. */
  const measure = (choose: (row: number) => string | undefined): number => {
    const rest = all.slice(labelledCount)
    return rest.filter(({ topic }, i) => choose(labelledCount + i) === topic).length / rest.length
  }
  const finalAccuracy = measure((row) => answers[row].answers.topic.choice)
  const teacherAccuracy = measure((row) => teacherAnswers.get(all[row]?.text ?? ''))
  assert.ok(finalAccuracy > teacherAccuracy - 0.03, `${finalAccuracy} after ${teacherAccuracy}`)
})

test.run()
