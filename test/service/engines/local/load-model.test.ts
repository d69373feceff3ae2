import * as assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import { nodeFiles } from '../../../../lib/runtime/node/files'
import type { Library } from '../../../../lib/service/engines/local/library'
import { readPrompt } from '../../../../lib/service/engines/local/read-prompt'
import { loadLlamaLibrary } from '../../../llama/install-llama'
import {
  openTestEngine,
  openTestModel,
  testRuntime,
  tiny,
  tinyPath,
  writeModel,
} from './open-local-engine'
import { createTinyModel } from './tiny-model'

const test = suite('local engine: loading a model')

const neverAborted = new AbortController().signal

/** Waits for an engine that cannot be opened. Returns the message of the usage error. */
const expectRefusal = async (opening: ReturnType<typeof openTestEngine>): Promise<string> => {
  const engine = await opening
  assert.ok(E.isLeft(engine) && engine.left._tag === 'Usage', JSON.stringify(engine))
  return engine.left.message
}

test('refuses a model that does not answer the trial question with a letter', async () => {
  const model = writeModel('silent.gguf', createTinyModel({ letterBias: 0 }).file)
  assert.match(
    await expectRefusal(openTestEngine({ model })),
    /^engine local: the model "silent" puts only .* of its probability on the option letters; likeliest are ".*Take a model/,
  )
})

const { file } = tiny
const createFileWithTemplate = (template: string): Uint8Array => createTinyModel({ template }).file

const unusableFiles: ReadonlyArray<{
  readonly title: string
  readonly bytes: Uint8Array
  /** The message after `--engine-model: `, with PATH in place of the file's path. */
  readonly message: RegExp
  /** True if the message has a reason that only the log of llama.cpp has. */
  readonly isReasonLogged?: true
}> = [
  {
    title: 'a text',
    bytes: Buffer.from('hello '.repeat(999)),
    message: /^PATH is not a GGUF file: download/,
  },
  {
    title: 'a web page',
    bytes: Buffer.from('\n<!DOCTYPE html><html>'),
    message: /^PATH is not a GGUF file: download/,
  },
  { title: 'an empty file', bytes: Buffer.alloc(0), message: /^PATH is not a GGUF file: download/ },
  {
    title: 'a model cut in its header',
    bytes: file.subarray(0, 200),
    message: /^PATH cannot be loaded: ./,
    isReasonLogged: true,
  },
  {
    title: 'a model cut at its end',
    bytes: file.subarray(0, -64),
    message: /^PATH cannot be loaded: .*corrupted/,
    isReasonLogged: true,
  },
  {
    title: 'a model with a template that throws',
    bytes: createFileWithTemplate("{{ raise_exception('\u001b[31m no\nway') }}"),
    message: /^PATH cannot be loaded: .*no/,
  },
  {
    title: 'a model with a template that drops the message',
    bytes: createFileWithTemplate('hello'),
    message: /^PATH cannot be loaded: ./,
  },
]

for (const { title, bytes, message, isReasonLogged } of unusableFiles) {
  test(`refuses a file with a message of one line: ${title}`, async () => {
    const model = writeModel('broken.gguf', bytes)
    // The shared library logs only for its first engine.
    const options = isReasonLogged ? { model, load: loadLlamaLibrary } : { model }
    const refusal = await expectRefusal(openTestEngine(options))
    assert.match(refusal, /^--engine-model: [^\n]+$/)
    assert.match(refusal.replace('--engine-model: ', '').replace(model, 'PATH'), message)
  })
}

test('refuses a file that cannot be read', async () => {
  const denied = Object.assign(new Error(), { code: 'EACCES' })
  const files = { ...nodeFiles, read: () => Promise.reject(denied) }
  assert.equal(
    await expectRefusal(openTestEngine({ model: tinyPath }, { ...testRuntime, files })),
    `read model ${tinyPath}: permission denied`,
  )
})

/** A template with a system message, as in Qwen2.5, and an empty thought, as in Qwen3 with thinking off. */
const template =
  "{% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nBe kind.<|im_end|>\n' }}{% endif %}" +
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}" +
  "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}{% endif %}"

/** The templates of Llama 2 and Gemma 4, without what a conversation of one message does not use. */
const llama2Template =
  "{% for m in messages %}{% if m['role'] == 'user' %}{{ bos_token + '[INST] ' + m['content'] | trim + ' [/INST]' }}" +
  "{% elif m['role'] == 'assistant' %}{{ ' ' + m['content'] | trim + ' ' + eos_token }}{% endif %}{% endfor %}"
const gemma4Template =
  "{{ bos_token }}{% for m in messages %}{{ '<|turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}" +
  "{{ (m.content | trim) + '<turn|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|turn>model\\n' }}" +
  "{% if not enable_thinking | default(false) %}{{ '<|channel>thought\\n<channel|>' }}{% endif %}{% endif %}"

const renderedTemplates: ReadonlyArray<{
  readonly title: string
  readonly text: string
  readonly affixes: readonly [prefix: string, suffix: string]
}> = [
  {
    title: 'a system message and an empty thought, as in Qwen',
    text: template,
    affixes: [
      '<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n',
      '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
    ],
  },
  {
    title: 'no space at the end, as in Llama 2',
    text: llama2Template,
    affixes: ['[INST] ', ' [/INST]'],
  },
  {
    title: 'an empty thought in a channel, as in Gemma 4',
    text: gemma4Template,
    affixes: ['<|turn>user\n', '<turn|>\n<|turn>model\n<|channel>thought\n<channel|>'],
  },
]

for (const [index, { title, text, affixes }] of renderedTemplates.entries())
  test(`renders the chat template as it is, with thinking off: ${title}`, async () => {
    const file = createFileWithTemplate(text)
    const model = await openTestModel(writeModel(`template-${index}.gguf`, file))
    assert.deepEqual(model.chatAffixes, affixes)
  })

test('sets the template variable enable_thinking to false, which Gemma 4 reads', async () => {
  const switched = "{% if enable_thinking %}{{ '<think>' }}{% else %}{{ '<no_think>' }}{% endif %}"
  const file = createFileWithTemplate(switched + template)
  const model = await openTestModel(writeModel('switched.gguf', file))
  assert.match(model.chatAffixes[0], /^<no_think>/)
})

test('tokenizes template and prompt as one text, as llama.cpp does', async () => {
  // The space before the message and its first letter are one token.
  const spaced =
    "{% for m in messages %}{{ '[' + m.role + '] ' + m.content }}{% endfor %}" +
    "{% if add_generation_prompt %}{{ ' [assistant]' }}{% endif %}"
  const localModel = await openTestModel(writeModel('spaced.gguf', createFileWithTemplate(spaced)))
  const completion = await readPrompt(localModel, 'A', neverAborted)
  assert.ok(E.isRight(completion))
  const tokenize = (text: string) => localModel.model.tokenize(text, true)
  const [prefix, suffix] = localModel.chatAffixes
  const tokensOfWhole = tokenize(`${prefix}A${suffix}`).length
  const tokensOfParts = tokenize(prefix).length + tokenize('A').length + tokenize(suffix).length
  assert.equal(completion.right.inputTokens, tokensOfWhole)
  assert.equal(tokensOfWhole, tokensOfParts - 1)
})

test('refuses a download with another length than the hub announced', async () => {
  const load = async (): Promise<Library> => ({
    ...(await loadLlamaLibrary()),
    resolveModelFile: async (_, options) => {
      const { onProgress } = options as { readonly onProgress: (bytes: object) => void }
      onProgress({ totalSize: 999, downloadedSize: 999 })
      return tinyPath
    },
  })
  assert.equal(
    await expectRefusal(openTestEngine({ model: 'hf:someone/tiny-GGUF:Q8_0', load })),
    `--engine-model hf:someone/tiny-GGUF:Q8_0 cannot be fetched: tiny.gguf has ${tiny.file.length} bytes of 999: delete it and try again`,
  )
})

/** Creates a library whose cache has the bytes of `versions[0]` at first, and of the next version after each removal of its file. */
const loadWithCache =
  (path: string, versions: ReadonlyArray<Uint8Array>, lookups: string[]) =>
  async (): Promise<Library> => ({
    ...(await loadLlamaLibrary()),
    resolveModelFile: async () => {
      if (!existsSync(path)) lookups.push('download')
      if (!existsSync(path)) writeFileSync(path, versions[lookups.length] ?? Buffer.alloc(0))
      return path
    },
  })

test('removes a file in the cache that is no GGUF file, and downloads it again, once', async () => {
  const page = Buffer.from('<!DOCTYPE html>')
  for (const { versions, isOpened } of [
    { versions: [page, tiny.file], isOpened: true },
    { versions: [page, page, tiny.file], isOpened: false },
  ]) {
    const path = writeModel('cached.gguf', page)
    const downloads: string[] = []
    const load = loadWithCache(path, versions, downloads)
    const opened = await openTestEngine({ model: 'hf:someone/tiny-GGUF:Q8_0', load })
    assert.equal(E.isRight(opened), isOpened, JSON.stringify(opened))
    assert.equal(downloads.length, 1)
    if (E.isRight(opened)) await opened.right.close()
    else
      assert.equal(
        opened.left._tag === 'Usage' && opened.left.message,
        `--engine-model: ${path} is not a GGUF file: download the model's .gguf file itself`,
      )
  }
})

test('names what is missing: the library, its binary or a newer version', async () => {
  const openWithVersion = (version: string) =>
    openTestEngine({
      load: async () => ({
        ...(await loadLlamaLibrary()),
        getModuleVersion: async () => version,
        getLlama: () => Promise.reject(new Error('No prebuilt binary was found')),
      }),
    })
  const notFound = Object.assign(new Error("Cannot find package 'node-llama-cpp'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  const missing = openTestEngine({ load: () => Promise.reject(notFound) })
  for (const { opening, reason } of [
    { opening: missing, reason: 'node-llama-cpp does not come with svc' },
    { opening: openWithVersion('3.22.0'), reason: 'it has no binary for this machine' },
    { opening: openWithVersion('3.20.9'), reason: 'found node-llama-cpp 3.20.9' },
    { opening: openWithVersion('4.0.0'), reason: 'found node-llama-cpp 4.0.0' },
  ] as const)
    assert.equal(
      await expectRefusal(opening),
      `--engine local needs node-llama-cpp 3.21 or a later 3.x: ${reason}. svc help engines shows how to install it`,
    )
})

test.run()
