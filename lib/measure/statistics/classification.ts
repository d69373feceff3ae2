import type { Numbers, Table } from './numbers'

/** Computes the confusion matrix: the weight of the rows by right class (matrix row) and decided class (matrix column). */
export const countConfusions = (
  truth: Numbers,
  decided: Numbers,
  classes: number,
  weights: Numbers,
): Table => {
  const values = new Float64Array(classes * classes)
  for (let i = 0; i < truth.length; i++) {
    const at = (truth[i] as number) * classes + (decided[i] as number)
    values[at] = (values[at] as number) + (weights[i] as number)
  }
  return { values, columns: classes }
}

/**
 * The figures of one class. Precision is null if the class was never decided, recall if it never occurs.
 */
export interface ClassFigures {
  readonly precision: number | null
  readonly recall: number | null
  /** 2·TP / (2·TP + FP + FN); 0 if that is 0/0, as in scikit-learn's `f1_score` with `zero_division=0`. */
  readonly f1: number
  /** The weight of the rows for which the class is right. */
  readonly support: number
}

/** Divides; null if `whole` is 0. */
export const divideOrNull = (part: number, whole: number): number | null =>
  whole === 0 ? null : part / whole

/** Computes precision, recall, F1 and support of each class. scikit-learn: `precision_recall_fscore_support` */
export const measureClasses = ({ values, columns }: Table): ReadonlyArray<ClassFigures> =>
  Array.from({ length: columns }, (_, c) => {
    let support = 0
    let decided = 0
    for (let k = 0; k < columns; k++) {
      support += values[c * columns + k] as number
      decided += values[k * columns + c] as number
    }
    const right = values[c * columns + c] as number
    return {
      precision: divideOrNull(right, decided),
      recall: divideOrNull(right, support),
      f1: divideOrNull(2 * right, decided + support) ?? 0,
      support,
    }
  })

/** Computes the share of rows that are at most `distance` classes off. Distance 0 gives the accuracy. */
export const shareWithin = ({ values, columns }: Table, distance: number): number => {
  let near = 0
  let all = 0
  for (let i = 0; i < values.length; i++) {
    const weight = values[i] as number
    all += weight
    if (Math.abs(Math.floor(i / columns) - (i % columns)) <= distance) near += weight
  }
  return near / all
}

/** Computes the mean recall of the classes that occur in labels. scikit-learn: `balanced_accuracy_score` */
export const balancedAccuracy = (matrix: Table): number => {
  const recalls = measureClasses(matrix).flatMap(({ recall }) => (recall === null ? [] : [recall]))
  return recalls.reduce((total, recall) => total + recall, 0) / recalls.length
}

/**
 * Computes the mean F1 of the classes that occur in labels or decisions. scikit-learn: `f1_score(average="macro")`
 */
export const macroF1 = (matrix: Table): number => {
  const occurring = measureClasses(matrix).filter(
    ({ precision, recall }) => precision !== null || recall !== null,
  )
  return occurring.reduce((total, { f1 }) => total + f1, 0) / occurring.length
}

/**
 * Creates a function that computes the agreement beyond chance, 1 − Σ dᵢⱼ·oᵢⱼ / Σ dᵢⱼ·eᵢⱼ, with disagreements d, observed
 * counts o, and counts e expected from the margins. Null if no disagreement is expected. Cohen (1960, 1968).
 */
const createKappa =
  (disagreement: (a: number, b: number) => number) =>
  ({ values, columns }: Table): number | null => {
    const rows = new Float64Array(columns)
    const decided = new Float64Array(columns)
    let all = 0
    for (let i = 0; i < values.length; i++) {
      const weight = values[i] as number
      const row = Math.floor(i / columns)
      rows[row] = (rows[row] as number) + weight
      decided[i % columns] = (decided[i % columns] as number) + weight
      all += weight
    }
    let observed = 0
    let expected = 0
    for (let a = 0; a < columns; a++)
      for (let b = 0; b < columns; b++) {
        const d = disagreement(a, b)
        observed += d * (values[a * columns + b] as number)
        expected += (d * ((rows[a] as number) * (decided[b] as number))) / all
      }
    return expected > 0 ? 1 - observed / expected : null
  }

/** Computes Cohen's kappa. All disagreements count alike. scikit-learn: `cohen_kappa_score` */
export const cohenKappa = createKappa((a, b) => (a === b ? 0 : 1))

/**
 * Computes Cohen's kappa. Disagreements count by the squared distance of levels. scikit-learn:
 * `cohen_kappa_score(weights="quadratic")`
 */
export const quadraticKappa = createKappa((a, b) => (a - b) ** 2)
