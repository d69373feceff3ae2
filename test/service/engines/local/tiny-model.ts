/**
 * A language model of the llama architecture that is small enough to be made anew for every test: random weights, two
 * layers, a token for each byte and some for letters after a blank.
 */
import { gguf, type Tensor } from './gguf'

/** The sizes of the model. Two query heads share each key and value head. */
export const sizes = {
  ...{ width: 32, heads: 4, keyHeads: 2, headWidth: 8, feedForward: 48, layers: 2 },
  ...{ epsilon: 1e-5, ropeBase: 10_000, context: 2048 },
} as const

export interface TinyModel {
  readonly tensors: Readonly<Record<string, Tensor>>
  readonly file: Buffer
}

/** GPT-2's names for bytes: printable ones stand for themselves, the others for characters from U+0100 on. */
const byteNames: ReadonlyArray<string> = (() => {
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    return String.fromCharCode(printable ? byte : next++)
  })
})()

const letters = Array.from({ length: 20 }, (_, i) => String.fromCharCode(0x41 + i))
const blank = byteNames[0x20] ?? ''
const controls = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']

/** The vocabulary: control tokens, bytes, and each of the first 20 letters after a blank. */
export const vocabulary: ReadonlyArray<string> = [
  ...controls,
  ...byteNames,
  ...letters.map((letter) => blank + letter),
]

/** The token of the byte 0. */
export const firstByte = controls.length

const chatml =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

/** Equally likely numbers between -1 and 1, always the same for a seed. */
const numbers = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 31 - 1
}

/**
 * A model with random weights. `letterBias` is what A and B gain over all other tokens, whatever was said, in
 * logits, and the other letters somewhat less: with 0 all tokens are alike, with 10 the model nearly always says A or B.
 * `template` and `heads` are what the file says, whatever the model has.
 */
export const tinyModel = ({
  letterBias = 10,
  seed = 1,
  template = chatml,
  heads: writtenHeads = sizes.heads as number,
} = {}): TinyModel => {
  const random = numbers(seed)
  const { width, heads, keyHeads, headWidth, feedForward, layers } = sizes
  const matrix = (columns: number, rows: number, scale: number): Tensor => ({
    shape: [columns, rows],
    data: Float32Array.from({ length: columns * rows }, () => scale * random()),
  })
  const ones = (): Tensor => ({
    shape: [width],
    data: Float32Array.from({ length: width }, () => 1 + 0.1 * random()),
  })
  const tensors: Record<string, Tensor> = {}
  const embedding = matrix(width, vocabulary.length, 1)
  const output = matrix(width, vocabulary.length, 0.25)
  for (let layer = 0; layer < layers; layer += 1) {
    const named = {
      attn_norm: ones(),
      attn_q: matrix(width, heads * headWidth, 0.3),
      attn_k: matrix(width, keyHeads * headWidth, 0.3),
      attn_v: matrix(width, keyHeads * headWidth, 0.3),
      attn_output: matrix(heads * headWidth, width, 0.3),
      ffn_norm: ones(),
      ffn_gate: matrix(width, feedForward, 0.3),
      ffn_up: matrix(width, feedForward, 0.3),
      ffn_down: matrix(feedForward, width, 0.3),
    }
    for (const [name, tensor] of Object.entries(named))
      tensors[`blk.${layer}.${name}.weight`] = tensor
  }
  // The first number of every token's vector is the same and far from zero, and only letters look at it.
  for (let token = 0; token < vocabulary.length; token += 1) {
    embedding.data[token * width] = 8
    output.data[token * width] = (letterBias * liking(token)) / Math.sqrt(width)
  }
  Object.assign(tensors, {
    'token_embd.weight': embedding,
    'output_norm.weight': { shape: [width], data: new Float32Array(width).fill(1) },
    'output.weight': output,
  })
  return { tensors, file: fileOf(tensors, template, writtenHeads) }
}

/** How much of the bias a token gets. */
const liking = (token: number): number => {
  const letter = (vocabulary[token] ?? '').replace(blank, '')
  return letter === 'A' || letter === 'B' ? 1 : letters.includes(letter) ? 0.6 : 0
}

const fileOf = (tensors: TinyModel['tensors'], template: string, heads: number): Buffer =>
  gguf(
    {
      'general.architecture': { type: 'text', value: 'llama' },
      'general.name': { type: 'text', value: 'tiny' },
      'llama.context_length': { type: 'uint', value: sizes.context },
      'llama.embedding_length': { type: 'uint', value: sizes.width },
      'llama.block_count': { type: 'uint', value: sizes.layers },
      'llama.feed_forward_length': { type: 'uint', value: sizes.feedForward },
      'llama.attention.head_count': { type: 'uint', value: heads },
      'llama.attention.head_count_kv': { type: 'uint', value: sizes.keyHeads },
      'llama.attention.layer_norm_rms_epsilon': { type: 'float', value: sizes.epsilon },
      'llama.rope.dimension_count': { type: 'uint', value: sizes.headWidth },
      'llama.rope.freq_base': { type: 'float', value: sizes.ropeBase },
      'llama.vocab_size': { type: 'uint', value: vocabulary.length },
      'tokenizer.ggml.model': { type: 'text', value: 'gpt2' },
      'tokenizer.ggml.pre': { type: 'text', value: 'gpt-2' },
      'tokenizer.ggml.tokens': { type: 'texts', value: vocabulary },
      'tokenizer.ggml.token_type': {
        type: 'ints',
        value: vocabulary.map((_, token) => (token < controls.length ? 3 : 1)),
      },
      'tokenizer.ggml.merges': {
        type: 'texts',
        value: letters.map((letter) => `${blank} ${letter}`),
      },
      'tokenizer.ggml.eos_token_id': { type: 'uint', value: 2 },
      'tokenizer.ggml.padding_token_id': { type: 'uint', value: 0 },
      'tokenizer.chat_template': { type: 'text', value: template },
    },
    tensors,
  )
