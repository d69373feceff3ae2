import type { Numbers, Table } from './numbers'

/**
 * The confusion matrix: the weight of the rows by right class (matrix row) and decided class (matrix column).
 */
export const confusion = (
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

/** `part / whole`, null if the whole is 0. */
export const divideOrNull = (part: number, whole: number): number | null =>
  whole === 0 ? null : part / whole

/** Precision, recall, F1 and support of each class. scikit-learn: `precision_recall_fscore_support` */
export const perClass = ({ values, columns }: Table): ReadonlyArray<ClassFigures> =>
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

/** The share of rows that are at most `distance` classes off: 0 for accuracy, 1 for `adjacent`. */
export const within = ({ values, columns }: Table, distance: number): number => {
  let near = 0
  let all = 0
  for (let i = 0; i < values.length; i++) {
    const weight = values[i] as number
    all += weight
    if (Math.abs(Math.floor(i / columns) - (i % columns)) <= distance) near += weight
  }
  return near / all
}

/** The mean recall of the classes that occur. scikit-learn: `balanced_accuracy_score` */
export const balancedAccuracy = (matrix: Table): number => {
  const recalls = perClass(matrix).flatMap(({ recall }) => (recall === null ? [] : [recall]))
  return recalls.reduce((total, recall) => total + recall, 0) / recalls.length
}

/**
 * Computes the mean F1 of the classes that occur in labels or decisions. scikit-learn: `f1_score(average="macro")`
 */
export const macroF1 = (matrix: Table): number => {
  const occurring = perClass(matrix).filter(
    ({ precision, recall }) => precision !== null || recall !== null,
  )
  return occurring.reduce((total, { f1 }) => total + f1, 0) / occurring.length
}

/**
 * Agreement beyond chance: 1 − Σ dᵢⱼ·oᵢⱼ / Σ dᵢⱼ·eᵢⱼ, with observed counts o, counts e expected from the
 * margins, and a measure of disagreement d. Null if no disagreement is expected. Cohen (1960, 1968).
 */
const kappaBy =
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

/** Cohen's kappa, in which all disagreements count the same. scikit-learn: `cohen_kappa_score` */
export const cohenKappa = kappaBy((a, b) => (a === b ? 0 : 1))

/**
 * Cohen's kappa, in which disagreements count by the squared distance of levels. scikit-learn:
 * `cohen_kappa_score(weights="quadratic")`
 */
export const quadraticKappa = kappaBy((a, b) => (a - b) ** 2)
