/**
 * Computes the output of the tiny model, which has the layers of Llama (RMSNorm, RoPE, SwiGLU), in plain arithmetic. Tests compare
 * it with the output of node-llama-cpp. All `?? 0` and `?? []` are only for the compiler: no index is outside its array.
 */
import { firstByteToken, modelSizes, spaceName, type TinyModel, vocabulary } from './tiny-model'

type Vector = ReadonlyArray<number>

/** Computes the logits of the next token after `tokens`: one for each token of the vocabulary. */
export const computeNextLogits = (model: TinyModel, tokens: ReadonlyArray<number>): Vector => {
  const embedding = readWeights(model, 'token_embd')
  const { width } = modelSizes
  let hidden: ReadonlyArray<Vector> = tokens.map((token) => [
    ...embedding.subarray(token * width, (token + 1) * width),
  ])
  for (let layer = 0; layer < modelSizes.layers; layer += 1) {
    const block = `blk.${layer}`
    const attended = attend(model, block, hidden)
    hidden = attended.map((vector) => feedForward(model, block, vector))
  }
  return multiply(model, 'output', normalize(model, 'output_norm', hidden.at(-1) ?? []))
}

const readWeights = ({ tensors }: TinyModel, name: string): Float32Array => {
  const tensor = tensors[`${name}.weight`]
  if (tensor === undefined) throw new Error(`the tiny model has no tensor ${name}`)
  return tensor.data
}

/** Multiplies a weight matrix with a vector. */
const multiply = (model: TinyModel, name: string, vector: Vector): Vector => {
  const weights = readWeights(model, name)
  const products: number[] = []
  for (let start = 0; start < weights.length; start += vector.length) {
    let sum = 0
    for (const [i, x] of vector.entries()) sum += x * (weights[start + i] ?? 0)
    products.push(sum)
  }
  return products
}

/** Root mean square normalization (RMSNorm). */
const normalize = (model: TinyModel, name: string, vector: Vector): Vector => {
  const weights = readWeights(model, name)
  const meanSquare = dot(vector, vector) / vector.length
  const scale = 1 / Math.sqrt(meanSquare + modelSizes.epsilon)
  return vector.map((x, i) => x * scale * (weights[i] ?? 0))
}

/** Causal attention with grouped heads: two query heads share a key head and a value head. `block` is the name of a layer. */
const attend = (
  model: TinyModel,
  block: string,
  hidden: ReadonlyArray<Vector>,
): ReadonlyArray<Vector> => {
  const { heads, keyHeads, headWidth } = modelSizes
  const inputs = hidden.map((vector) => normalize(model, `${block}.attn_norm`, vector))
  const project = (name: string) =>
    inputs.map((input) => splitHeads(multiply(model, `${block}.${name}`, input)))
  const queries = project('attn_q').map(rotateHeads)
  const keys = project('attn_k').map(rotateHeads)
  const values = project('attn_v')
  return hidden.map((vector, position) => {
    const outputs: number[] = []
    for (let head = 0; head < heads; head += 1) {
      const keyHead = Math.floor((head * keyHeads) / heads)
      const query = queries[position]?.[head] ?? []
      // A position sees itself and the positions before it.
      const selectVisible = (vectors: ReadonlyArray<ReadonlyArray<Vector>>) =>
        vectors.slice(0, position + 1).map((headVectors) => headVectors[keyHead] ?? [])
      const scores = selectVisible(keys).map((key) => dot(query, key) / Math.sqrt(headWidth))
      outputs.push(...sumWeighted(computeSoftmax(scores), selectVisible(values)))
    }
    return add(vector, multiply(model, `${block}.attn_output`, outputs))
  })
}

const splitHeads = (vector: Vector): ReadonlyArray<Vector> => {
  const heads: Vector[] = []
  for (let start = 0; start < vector.length; start += modelSizes.headWidth)
    heads.push(vector.slice(start, start + modelSizes.headWidth))
  return heads
}

const rotateHeads = (heads: ReadonlyArray<Vector>, position: number): ReadonlyArray<Vector> =>
  heads.map((head) => rotate(head, position))

/** Rotary position embedding: rotates each pair of numbers by an angle that is proportional to the position. */
const rotate = (head: Vector, position: number): Vector => {
  const rotated: number[] = []
  for (let i = 0; i < head.length; i += 2) {
    const angle = position * modelSizes.ropeBase ** (-i / head.length)
    const [x = 0, y = 0] = head.slice(i, i + 2)
    rotated.push(x * Math.cos(angle) - y * Math.sin(angle))
    rotated.push(y * Math.cos(angle) + x * Math.sin(angle))
  }
  return rotated
}

/** Feed-forward network with SwiGLU. */
const feedForward = (model: TinyModel, block: string, vector: Vector): Vector => {
  const input = normalize(model, `${block}.ffn_norm`, vector)
  const up = multiply(model, `${block}.ffn_up`, input)
  const gate = multiply(model, `${block}.ffn_gate`, input)
  const gated = gate.map((x, i) => (x / (1 + Math.exp(-x))) * (up[i] ?? 0))
  return add(vector, multiply(model, `${block}.ffn_down`, gated))
}

/** Computes the probabilities that belong to logits. */
export const computeSoftmax = (logits: Vector): Vector => {
  const max = Math.max(...logits)
  const weights = logits.map((logit) => Math.exp(logit - max))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

/** Tokenizes texts and control tokens. */
export const tokenize = (
  parts: ReadonlyArray<{ readonly control: string } | string>,
): ReadonlyArray<number> =>
  parts.flatMap((part) =>
    typeof part === 'string' ? tokenizeText(part) : [vocabulary.indexOf(part.control)],
  )

/** Tokenizes a text: a letter from A to T with the space before it is one token, and each other byte is one. */
const tokenizeText = (text: string): ReadonlyArray<number> => {
  const tokens: number[] = []
  for (const [piece] of text.matchAll(/ [A-T]|./gsu))
    if (/^ [A-T]$/.test(piece)) tokens.push(vocabulary.indexOf(spaceName + piece.charAt(1)))
    else for (const byte of Buffer.from(piece)) tokens.push(firstByteToken + byte)
  return tokens
}

const dot = (a: Vector, b: Vector): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)

const add = (a: Vector, b: Vector): Vector => a.map((x, i) => x + (b[i] ?? 0))

/** Computes the sum of vectors, each multiplied with its weight. */
const sumWeighted = (weights: Vector, vectors: ReadonlyArray<Vector>): Vector =>
  (vectors[0] ?? []).map((_, i) =>
    weights.reduce((sum, weight, index) => sum + weight * (vectors[index]?.[i] ?? 0), 0),
  )
