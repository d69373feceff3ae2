/** Computes a model of the llama architecture in plain arithmetic, to check the library's figures. */
import { firstByte, sizes, type TinyModel, vocabulary } from './tiny-model'

type Vector = ReadonlyArray<number>

/** The logits of the token that comes after `tokens`, one for each of the vocabulary. */
export const nextLogits = ({ tensors }: TinyModel, tokens: ReadonlyArray<number>): Vector => {
  const { width, heads, keyHeads, headWidth, layers } = sizes
  const dataOf = (name: string): Float32Array =>
    tensors[`${name}.weight`]?.data ?? new Float32Array()
  const times = (name: string, vector: Vector): Vector => {
    const data = dataOf(name)
    const rows = data.length / vector.length
    return Array.from({ length: rows }, (_, row) => {
      let sum = 0
      for (let i = 0; i < vector.length; i += 1)
        sum += (vector[i] ?? 0) * (data[row * vector.length + i] ?? 0)
      return sum
    })
  }
  const normed = (name: string, vector: Vector): Vector => {
    const square = vector.reduce((sum, x) => sum + x * x, 0) / vector.length
    const weights = dataOf(name)
    return vector.map((x, i) => (x / Math.sqrt(square + sizes.epsilon)) * (weights[i] ?? 0))
  }
  const head = (vector: Vector, at: number): Vector =>
    vector.slice(at * headWidth, (at + 1) * headWidth)
  const turned = (vector: Vector, position: number): Vector =>
    Array.from({ length: vector.length / headWidth }, (_, at) =>
      rotated(head(vector, at), position),
    ).flat()

  const attended = (hidden: ReadonlyArray<Vector>, layer: string): ReadonlyArray<Vector> => {
    const inputs = hidden.map((vector) => normed(`${layer}.attn_norm`, vector))
    const keys = inputs.map((vector, i) => turned(times(`${layer}.attn_k`, vector), i))
    const values = inputs.map((vector) => times(`${layer}.attn_v`, vector))
    return inputs.map((vector, i) => {
      const query = turned(times(`${layer}.attn_q`, vector), i)
      const mixed = Array.from({ length: heads }, (_, at) => {
        const shared = Math.floor((at * keyHeads) / heads)
        const scores = keys
          .slice(0, i + 1)
          .map((key) => dot(head(query, at), head(key, shared)) / Math.sqrt(headWidth))
        return weighted(
          shares(scores),
          values.map((value) => head(value, shared)),
        )
      }).flat()
      return plus(hidden[i] ?? [], times(`${layer}.attn_output`, mixed))
    })
  }
  const fed = (vector: Vector, layer: string): Vector => {
    const input = normed(`${layer}.ffn_norm`, vector)
    const up = times(`${layer}.ffn_up`, input)
    const gate = times(`${layer}.ffn_gate`, input).map(
      (x, i) => (x / (1 + Math.exp(-x))) * (up[i] ?? 0),
    )
    return plus(vector, times(`${layer}.ffn_down`, gate))
  }

  const embedding = dataOf('token_embd')
  let hidden: ReadonlyArray<Vector> = tokens.map((token) =>
    Array.from(embedding.subarray(token * width, (token + 1) * width)),
  )
  for (let layer = 0; layer < layers; layer += 1)
    hidden = attended(hidden, `blk.${layer}`).map((vector) => fed(vector, `blk.${layer}`))
  return times('output', normed('output_norm', hidden.at(-1) ?? []))
}

/** Turns each pair of numbers by an angle that grows with the position: rotary embedding. */
const rotated = (vector: Vector, position: number): Vector =>
  vector.map((x, i) => {
    const pair = i - (i % 2)
    const angle = position * sizes.ropeBase ** (-pair / vector.length)
    const other = vector[i === pair ? i + 1 : pair] ?? 0
    return x * Math.cos(angle) + (i === pair ? -other : other) * Math.sin(angle)
  })

/** The distribution that belongs to these logits. */
export const shares = (logits: Vector): Vector => {
  const highest = Math.max(...logits)
  const masses = logits.map((logit) => Math.exp(logit - highest))
  const total = masses.reduce((sum, mass) => sum + mass, 0)
  return masses.map((mass) => mass / total)
}

/**
 * The tokens of a text: control tokens if `parts` has them by name, one for each byte of the remaining parts, and one
 * for a letter from A to T with the blank before it.
 */
export const tokensOf = (
  parts: ReadonlyArray<{ readonly control: string } | string>,
): ReadonlyArray<number> =>
  parts.flatMap((part) =>
    typeof part === 'string'
      ? part
          .split(/( [A-T])/)
          .flatMap((piece, i) =>
            i % 2 === 1 ? [vocabulary.indexOf(`Ġ${piece.charAt(1)}`)] : bytesOf(piece),
          )
      : [vocabulary.indexOf(part.control)],
  )

const bytesOf = (text: string): ReadonlyArray<number> =>
  Array.from(Buffer.from(text), (byte) => firstByte + byte)

const dot = (one: Vector, other: Vector): number =>
  one.reduce((sum, x, i) => sum + x * (other[i] ?? 0), 0)
const plus = (one: Vector, other: Vector): Vector => one.map((x, i) => x + (other[i] ?? 0))
const weighted = (weights: Vector, vectors: ReadonlyArray<Vector>): Vector =>
  (vectors[0] ?? []).map((_, i) =>
    weights.reduce((sum, weight, at) => sum + weight * (vectors[at]?.[i] ?? 0), 0),
  )
