/** Writes a model file of the shape of Qwen3 0.6B with random weights of 8 bits: it takes the time of a real model, and knows nothing. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { ggufParts, type Tensor } from '../service/engines/local/gguf'
import { blank, describeModel, vocabulary } from '../service/engines/local/tiny-model'

const sizes = {
  ...{ width: 1024, heads: 16, keyHeads: 8, headWidth: 128, feedForward: 3072, layers: 28 },
  ...{ epsilon: 1e-6, ropeBase: 1e6, context: 40_960 },
} as const
const vocabularySize = 151_936

/** Writes the file. Each word of the texts, with the blank before it, is a token, as it would be in a real vocabulary. */
export const writeRandomModel = (path: string, texts: ReadonlyArray<string>): void => {
  const { tokens, merges } = learnWords(texts.flatMap((text) => text.match(/ ?[a-z]+/gi) ?? []))
  const known = [...new Set([...vocabulary, ...tokens])]
  const unused = Array.from({ length: vocabularySize - known.length }, (_, i) => `unused-${i}`)
  const all = [...known, ...unused]
  const file = openSync(path, 'wx')
  for (const part of ggufParts(describeModel('qwen3', sizes, all, merges), tensorsOf(all)))
    writeSync(file, part)
  closeSync(file)
}

/** The merges that make a token of each word, letter by letter, and the tokens on the way. */
const learnWords = (words: ReadonlyArray<string>) => {
  const merges = words.flatMap((word) => {
    const [first = '', ...rest] = word.replace(' ', blank)
    return rest.map((letter, i) => `${first}${rest.slice(0, i).join('')} ${letter}`)
  })
  return { tokens: merges.map((merge) => merge.replace(' ', '')), merges: [...new Set(merges)] }
}

const tensorsOf = (tokens: ReadonlyArray<string>): Readonly<Record<string, Tensor>> => {
  const { width, heads, keyHeads, headWidth, feedForward, layers } = sizes
  const random = fillBlocks(new Uint8Array(blockSize * ((width * feedForward) / 32)), 2e-5)
  const matrix = (columns: number, rows: number): Tensor => ({
    shape: [columns, rows],
    data: random.subarray(0, ((columns * rows) / 32) * blockSize),
  })
  const ones = (size: number): Tensor => ({ shape: [size], data: new Float32Array(size).fill(1) })
  const layer = (): Readonly<Record<string, Tensor>> => ({
    attn_norm: ones(width),
    attn_q: matrix(width, heads * headWidth),
    attn_k: matrix(width, keyHeads * headWidth),
    attn_v: matrix(width, keyHeads * headWidth),
    attn_q_norm: ones(headWidth),
    attn_k_norm: ones(headWidth),
    attn_output: matrix(heads * headWidth, width),
    ffn_norm: ones(width),
    ffn_gate: matrix(width, feedForward),
    ffn_up: matrix(width, feedForward),
    ffn_down: matrix(feedForward, width),
  })
  return {
    'token_embd.weight': { shape: [width, tokens.length], data: embed(tokens) },
    'output_norm.weight': ones(width),
    ...Object.fromEntries(
      Array.from({ length: layers }, (_, i) =>
        Object.entries(layer()).map(([name, tensor]) => [`blk.${i}.${name}.weight`, tensor]),
      ).flat(),
    ),
  }
}

/** The bytes of a block of 32 numbers: a factor of 16 bits, and the numbers. */
const blockSize = 34

/**
 * The vectors of the tokens, which the model also compares its output with. The first number of each is large, and larger
 * for A and B, so that these are always the likeliest.
 */
const embed = (tokens: ReadonlyArray<string>): Uint8Array => {
  const row = blockSize * (sizes.width / 32)
  const vectors = fillBlocks(new Uint8Array(row * tokens.length), 0.005)
  for (const [token, text] of tokens.entries()) {
    const first = Buffer.from(vectors.buffer, token * row, blockSize).fill(0)
    first.set(toHalf(['A', 'B'].includes(text.replace(blank, '')) ? 0.25 : 0.06))
    first[2] = 127
  }
  return vectors
}

/** Fills blocks with random numbers, always the same, and with one factor. */
const fillBlocks = (blocks: Uint8Array, factor: number): Uint8Array => {
  let seed = 1
  for (let at = 0; at < blocks.length; at += 1) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    blocks[at] = seed >>> 24
  }
  const bytes = toHalf(factor)
  for (let at = 0; at < blocks.length; at += blockSize) blocks.set(bytes, at)
  return blocks
}

/** The two bytes of a number from 2^-14 to 1 in 16 bits; smaller ones are multiples of 2^-24. */
const toHalf = (value: number): Uint8Array => {
  const exponent = Math.max(-14, Math.floor(Math.log2(value)))
  const isSmall = value < 2 ** -14
  const fraction = Math.round((value / 2 ** exponent - (isSmall ? 0 : 1)) * 1024)
  const bits = ((isSmall ? 0 : exponent + 15) << 10) | fraction
  return Uint8Array.of(bits & 255, bits >> 8)
}
