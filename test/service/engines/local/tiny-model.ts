/**
 * A language model of the llama architecture that is small enough to be made anew for every test: random weights, two
 * layers, a token for each byte and some for letters after a blank.
 */
import { type GgufValue, gguf, type Tensor } from './gguf'

/** The sizes of the model. Two query heads share each key and value head. */
export const sizes = {
  width: 32,
  heads: 4,
  keyHeads: 2,
  headWidth: 8,
  feedForward: 48,
  layers: 2,
  epsilon: 1e-5,
  ropeBase: 10_000,
  context: 2048,
} as const satisfies Sizes

export interface TinyModel {
  readonly tensors: Readonly<Record<string, Tensor<Float32Array>>>
  readonly file: Buffer
}

/** GPT-2's names for bytes: a printable byte is itself, the rest are characters from U+0100 on. */
const byteNames: ReadonlyArray<string> = (() => {
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    return String.fromCharCode(printable ? byte : next++)
  })
})()

const letters = Array.from({ length: 20 }, (_, i) => String.fromCharCode(0x41 + i))
/** GPT-2's name for the blank before a word. */
export const blank = byteNames[0x20] ?? ''
const letterMerges = letters.map((letter) => `${blank} ${letter}`)
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
 * A model with random weights. `letterBias` is what A and B gain over all other tokens, whatever was waitForStderr, in
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
  const matrix = (columns: number, rows: number, scale: number): Tensor<Float32Array> => ({
    shape: [columns, rows],
    data: Float32Array.from({ length: columns * rows }, () => scale * random()),
  })
  const ones = (): Tensor<Float32Array> => ({
    shape: [width],
    data: Float32Array.from({ length: width }, () => 1 + 0.1 * random()),
  })
  const tensors: Record<string, Tensor<Float32Array>> = {}
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
  const metadata = describeModel(
    ...(['llama', { ...sizes, heads: writtenHeads }, vocabulary, letterMerges, template] as const),
  )
  return { tensors, file: gguf(metadata, tensors) }
}

/** The part of the bias that a token gets. */
const liking = (token: number): number => {
  const letter = (vocabulary[token] ?? '').replace(blank, '')
  return letter === 'A' || letter === 'B' ? 1 : letters.includes(letter) ? 0.6 : 0
}

/** The sizes of a model, as a file's metadata has them. */
export interface Sizes {
  readonly width: number
  readonly heads: number
  readonly keyHeads: number
  readonly headWidth: number
  readonly feedForward: number
  readonly layers: number
  readonly epsilon: number
  readonly ropeBase: number
  /** The longest prompt in tokens. */
  readonly context: number
}

/**
 * The metadata of a model's file. Its vocabulary begins with the control tokens. The text of a merge is its two
 * tokens.
 */
export const describeModel = (
  architecture: string,
  sizes: Sizes,
  vocabulary: ReadonlyArray<string>,
  merges: ReadonlyArray<string>,
  template: string = chatml,
): Readonly<Record<string, GgufValue>> => {
  const shape: Readonly<Record<string, GgufValue>> = {
    context_length: { type: 'uint', value: sizes.context },
    embedding_length: { type: 'uint', value: sizes.width },
    block_count: { type: 'uint', value: sizes.layers },
    feed_forward_length: { type: 'uint', value: sizes.feedForward },
    'attention.head_count': { type: 'uint', value: sizes.heads },
    'attention.head_count_kv': { type: 'uint', value: sizes.keyHeads },
    'attention.key_length': { type: 'uint', value: sizes.headWidth },
    'attention.value_length': { type: 'uint', value: sizes.headWidth },
    'attention.layer_norm_rms_epsilon': { type: 'float', value: sizes.epsilon },
    'rope.dimension_count': { type: 'uint', value: sizes.headWidth },
    'rope.freq_base': { type: 'float', value: sizes.ropeBase },
    vocab_size: { type: 'uint', value: vocabulary.length },
  }
  return {
    'general.architecture': { type: 'text', value: architecture },
    'general.name': { type: 'text', value: 'tiny' },
    ...Object.fromEntries(
      Object.entries(shape).map(([name, value]) => [`${architecture}.${name}`, value]),
    ),
    'tokenizer.ggml.model': { type: 'text', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'text', value: 'gpt-2' },
    'tokenizer.ggml.tokens': { type: 'texts', value: vocabulary },
    'tokenizer.ggml.token_type': {
      type: 'ints',
      value: vocabulary.map((_, token) => (token < controls.length ? 3 : 1)),
    },
    'tokenizer.ggml.merges': { type: 'texts', value: merges },
    'tokenizer.ggml.eos_token_id': { type: 'uint', value: 2 },
    'tokenizer.ggml.padding_token_id': { type: 'uint', value: 0 },
    'tokenizer.chat_template': { type: 'text', value: template },
  }
}
