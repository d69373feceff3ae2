/**
 * A language model of the llama architecture that is small enough to create for each test: two layers with random weights, and a
 * vocabulary of bytes and of letters after a space.
 */
import { encodeGguf, type GgufValue, type Tensor } from './gguf'

/** The sizes of the tiny model. Two query heads share a key head and a value head. */
export const modelSizes = {
  width: 32,
  heads: 4,
  keyHeads: 2,
  headWidth: 8,
  feedForward: 48,
  layers: 2,
  epsilon: 1e-5,
  ropeBase: 10_000,
  /** The maximum length of a prompt in tokens. */
  context: 2048,
} as const

export interface TinyModel {
  /** The weights by their names in the file. */
  readonly tensors: Readonly<Record<string, Tensor>>
  /** The bytes of the GGUF file. */
  readonly file: Buffer
}

/** GPT-2's characters for bytes: a printable byte is itself, and the other bytes are the characters from U+0100 on. */
const byteNames: ReadonlyArray<string> = (() => {
  let nextCharacter = 0x100
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    return String.fromCharCode(isPrintable ? byte : nextCharacter++)
  })
})()

const letters = [...'ABCDEFGHIJKLMNOPQRST']

/** GPT-2's character for a space. */
export const spaceName = byteNames[0x20] ?? ''

const controls = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']

/** The vocabulary: control tokens, bytes, and the first 20 letters after a space. */
export const vocabulary: ReadonlyArray<string> = [
  ...controls,
  ...byteNames,
  ...letters.map((letter) => spaceName + letter),
]

/** The token of the byte 0. The tokens of the other bytes follow. */
export const firstByteToken = controls.length

/** ChatML, a chat template that many models have. */
const chatml =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

/** Creates a generator of uniform random numbers between -1 and 1 (the linear congruential generator of Numerical Recipes). */
const createUniformGenerator = (seed: number): (() => number) => {
  let state = seed
  return () => {
    // `>>> 0` makes an unsigned number of 32 bits of the result.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 31 - 1
  }
}

/**
 * Creates a model with random weights. For any prompt, `letterBias` is added to the logits of A and B, and 60 % of it to the logits of
 * the other letters. With a bias of 0 all tokens are about equally likely. With 10 the model nearly always answers A or B. `template` is
 * the chat template in the file.
 */
export const createTinyModel = ({ letterBias = 10, template = chatml } = {}): TinyModel => {
  const random = createUniformGenerator(1)
  const { width, heads, keyHeads, headWidth, feedForward, layers } = modelSizes
  const createMatrix = (columns: number, rows: number, scale: number): Tensor => ({
    shape: [columns, rows],
    data: Float32Array.from({ length: columns * rows }, () => scale * random()),
  })
  const createNearOnes = (): Tensor => ({
    shape: [width],
    data: Float32Array.from({ length: width }, () => 1 + 0.1 * random()),
  })
  const tensors: Record<string, Tensor> = {}
  const embedding = createMatrix(width, vocabulary.length, 1)
  const output = createMatrix(width, vocabulary.length, 0.25)
  for (let layer = 0; layer < layers; layer += 1) {
    const layerTensors = {
      attn_norm: createNearOnes(),
      attn_q: createMatrix(width, heads * headWidth, 0.3),
      attn_k: createMatrix(width, keyHeads * headWidth, 0.3),
      attn_v: createMatrix(width, keyHeads * headWidth, 0.3),
      attn_output: createMatrix(heads * headWidth, width, 0.3),
      ffn_norm: createNearOnes(),
      ffn_gate: createMatrix(width, feedForward, 0.3),
      ffn_up: createMatrix(width, feedForward, 0.3),
      ffn_down: createMatrix(feedForward, width, 0.3),
    }
    for (const [name, tensor] of Object.entries(layerTensors))
      tensors[`blk.${layer}.${name}.weight`] = tensor
  }
  // The first number of each embedding is 8, far above its other numbers. The last normalization turns it into about √width. So the
  // first weight of a token's output acts as a bias of the token's logit.
  for (let token = 0; token < vocabulary.length; token += 1) {
    embedding.data[token * width] = 8
    output.data[token * width] = (letterBias * getBiasShare(token)) / Math.sqrt(width)
  }
  tensors['token_embd.weight'] = embedding
  tensors['output_norm.weight'] = { shape: [width], data: new Float32Array(width).fill(1) }
  tensors['output.weight'] = output
  return { tensors, file: encodeGguf(createMetadata(template), tensors) }
}

/** Returns the share of `letterBias` that a token gets. */
const getBiasShare = (token: number): number => {
  const letter = (vocabulary[token] ?? '').replace(spaceName, '')
  if (letter === 'A' || letter === 'B') return 1
  return letters.includes(letter) ? 0.6 : 0
}

/** GGUF's numbers for the types of tokens. */
const normalType = 1
const controlType = 3

/** Creates the metadata of the model's file. */
const createMetadata = (template: string): Readonly<Record<string, GgufValue>> => {
  const { width, heads, keyHeads, headWidth, feedForward, layers } = modelSizes
  return {
    'general.architecture': { type: 'text', value: 'llama' },
    'general.name': { type: 'text', value: 'tiny' },
    'llama.context_length': { type: 'uint', value: modelSizes.context },
    'llama.embedding_length': { type: 'uint', value: width },
    'llama.block_count': { type: 'uint', value: layers },
    'llama.feed_forward_length': { type: 'uint', value: feedForward },
    'llama.attention.head_count': { type: 'uint', value: heads },
    'llama.attention.head_count_kv': { type: 'uint', value: keyHeads },
    'llama.attention.key_length': { type: 'uint', value: headWidth },
    'llama.attention.value_length': { type: 'uint', value: headWidth },
    'llama.attention.layer_norm_rms_epsilon': { type: 'float', value: modelSizes.epsilon },
    'llama.rope.dimension_count': { type: 'uint', value: headWidth },
    'llama.rope.freq_base': { type: 'float', value: modelSizes.ropeBase },
    'llama.vocab_size': { type: 'uint', value: vocabulary.length },
    'tokenizer.ggml.model': { type: 'text', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'text', value: 'gpt-2' },
    'tokenizer.ggml.tokens': { type: 'texts', value: vocabulary },
    'tokenizer.ggml.token_type': {
      type: 'ints',
      value: vocabulary.map((_, token) => (token < controls.length ? controlType : normalType)),
    },
    // A merge is two tokens with a space between them.
    'tokenizer.ggml.merges': {
      type: 'texts',
      value: letters.map((letter) => `${spaceName} ${letter}`),
    },
    'tokenizer.ggml.eos_token_id': { type: 'uint', value: controls.indexOf('<|im_end|>') },
    'tokenizer.ggml.padding_token_id': { type: 'uint', value: 0 },
    'tokenizer.chat_template': { type: 'text', value: template },
  }
}
