/** Computes the value of a function at a point, and writes its gradient into an array of the same length. */
export type Objective = (point: Float64Array, gradient: Float64Array) => number

/** A long computation that yields after each step, so that its caller can interrupt it. */
export type Steps<A> = Generator<void, A>

/** When `minimize` ends. */
export interface MinimizeLimits {
  /** The largest element of the gradient, in absolute terms, at which a point counts as a minimum. */
  readonly tolerance: number
  readonly maxSteps: number
}

/** The number of earlier steps from which the curvature is estimated. */
const rememberedSteps = 6

/** The share of the decrease that the slope promises, which a step must reach. Nocedal and Wright, Numerical Optimization, 3.1 */
const sufficientDecrease = 1e-4

/** A step is halved at most this often. */
const maxHalvings = 30

/** A step, the change of the gradient over it, and 1 / (step · change). */
interface StepMemory {
  readonly step: Float64Array
  readonly change: Float64Array
  readonly scale: number
}

/**
 * Minimizes a convex function with L-BFGS: the direction comes from the last steps, and its length is halved until the function
 * decreases enough. Yields after each step, and returns the point; `start` is not changed. Liu and Nocedal, Mathematical Programming 45 (1989).
 */
export const minimize = function* (
  objective: Objective,
  start: Float64Array,
  { tolerance, maxSteps }: MinimizeLimits,
): Steps<Float64Array> {
  const memory: StepMemory[] = []
  let point = Float64Array.from(start)
  let gradient = new Float64Array(point.length)
  let value = objective(point, gradient)
  for (let step = 0; step < maxSteps && findLargestElement(gradient) > tolerance; step++) {
    const direction = computeDirection(gradient, memory)
    const slope = multiply(gradient, direction)
    // The first direction is the gradient, whose length says nothing about the length of a good step.
    let length = memory.length > 0 ? 1 : 1 / Math.max(1, Math.sqrt(slope))
    const nextPoint = new Float64Array(point.length)
    const nextGradient = new Float64Array(point.length)
    let nextValue = Number.POSITIVE_INFINITY
    for (let halving = 0; halving <= maxHalvings; halving++) {
      for (let i = 0; i < point.length; i++)
        nextPoint[i] = (point[i] as number) - length * (direction[i] as number)
      nextValue = objective(nextPoint, nextGradient)
      if (nextValue <= value - sufficientDecrease * length * slope) break
      length /= 2
    }
    // Only rounding errors are left to gain.
    if (!(nextValue < value)) break
    remember(memory, point, nextPoint, gradient, nextGradient)
    point = nextPoint
    gradient = nextGradient
    value = nextValue
    yield
  }
  return point
}

/** Adds a step to the memory. Skips a step without curvature, and forgets the oldest one. */
const remember = (
  memory: StepMemory[],
  point: Float64Array,
  nextPoint: Float64Array,
  gradient: Float64Array,
  nextGradient: Float64Array,
): void => {
  const step = subtract(nextPoint, point)
  const change = subtract(nextGradient, gradient)
  const curvature = multiply(step, change)
  if (curvature <= 0) return
  memory.push({ step, change, scale: 1 / curvature })
  if (memory.length > rememberedSteps) memory.shift()
}

/** Multiplies the gradient by the estimated inverse of the matrix of second derivatives. */
const computeDirection = (
  gradient: Float64Array,
  memory: ReadonlyArray<StepMemory>,
): Float64Array => {
  const direction = Float64Array.from(gradient)
  const factors = new Float64Array(memory.length)
  for (let i = memory.length - 1; i >= 0; i--) {
    const { step, change, scale } = memory[i] as StepMemory
    factors[i] = scale * multiply(step, direction)
    addScaled(direction, change, -(factors[i] as number))
  }
  const last = memory.at(-1)
  if (last !== undefined) {
    const size = 1 / (last.scale * multiply(last.change, last.change))
    for (let i = 0; i < direction.length; i++) direction[i] = (direction[i] as number) * size
  }
  for (const [i, { step, change, scale }] of memory.entries())
    addScaled(direction, step, (factors[i] as number) - scale * multiply(change, direction))
  return direction
}

const multiply = (a: Float64Array, b: Float64Array): number => {
  let total = 0
  for (let i = 0; i < a.length; i++) total += (a[i] as number) * (b[i] as number)
  return total
}

const subtract = (a: Float64Array, b: Float64Array): Float64Array => {
  const difference = new Float64Array(a.length)
  for (let i = 0; i < a.length; i++) difference[i] = (a[i] as number) - (b[i] as number)
  return difference
}

/** Adds `factor` times the numbers to the target. */
const addScaled = (target: Float64Array, numbers: Float64Array, factor: number): void => {
  for (let i = 0; i < target.length; i++)
    target[i] = (target[i] as number) + factor * (numbers[i] as number)
}

const findLargestElement = (numbers: Float64Array): number => {
  let largest = 0
  for (let i = 0; i < numbers.length; i++)
    largest = Math.max(largest, Math.abs(numbers[i] as number))
  return largest
}
