import type { Numbers, Table } from './numbers'

/**
 * Computes the confusion matrix: the weight of the rows by right class (matrix row) and decided class (matrix column). `truth` and
 * `decisions` have the class of each row, from 0 to `classCount` − 1. The default weight of 1 counts the rows.
 */
export const countConfusions = (
  truth: Numbers,
  decisions: Numbers,
  classCount: number,
  weights?: Numbers,
): Table => {
  const values = new Float64Array(classCount * classCount)
  for (let i = 0; i < truth.length; i++) {
    const cell = (truth[i] as number) * classCount + (decisions[i] as number)
    values[cell] = (values[cell] as number) + (weights?.[i] ?? 1)
  }
  return { values, columns: classCount }
}

/** The figures of one class. Precision is null if the class was never decided, and recall is null if it never occurs in labels. */
export interface ClassFigures {
  readonly precision: number | null
  readonly recall: number | null
  /** 2·TP / (2·TP + FP + FN); 0 if that is 0/0, as in scikit-learn's `f1_score` with `zero_division=0`. */
  readonly f1: number
  /** The weight of the rows whose right class is this one. */
  readonly support: number
}

/** Returns part / whole; null if `whole` is 0. */
export const divideOrNull = (part: number, whole: number): number | null =>
  whole === 0 ? null : part / whole

/** Computes precision, recall, F1 and support of each class. scikit-learn: `precision_recall_fscore_support` */
export const measureClasses = ({ values, columns }: Table): ReadonlyArray<ClassFigures> =>
  Array.from({ length: columns }, (_, classIndex) => {
    let support = 0
    let decided = 0
    for (let k = 0; k < columns; k++) {
      support += values[classIndex * columns + k] as number
      decided += values[k * columns + classIndex] as number
    }
    const right = values[classIndex * columns + classIndex] as number
    return {
      precision: divideOrNull(right, decided),
      recall: divideOrNull(right, support),
      f1: divideOrNull(2 * right, decided + support) ?? 0,
      support,
    }
  })

/** Computes the share of rows whose decided class is at most `maxDistance` classes from the right one. Distance 0 gives the accuracy. */
export const shareWithin = ({ values, columns }: Table, maxDistance: number): number => {
  let nearWeight = 0
  let totalWeight = 0
  for (let i = 0; i < values.length; i++) {
    const weight = values[i] as number
    totalWeight += weight
    const right = Math.floor(i / columns)
    const decided = i % columns
    if (Math.abs(right - decided) <= maxDistance) nearWeight += weight
  }
  return nearWeight / totalWeight
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
 * Creates a function that computes the agreement beyond chance of a confusion matrix: 1 − Σ dᵢⱼ·oᵢⱼ / Σ dᵢⱼ·eᵢⱼ. A cell has the
 * disagreement d and the observed weight o. Its expected weight e follows from the margins, the sums of its row and its column. Null
 * if no disagreement is expected. Cohen (1960, 1968).
 */
const createKappa =
  (measureDisagreement: (right: number, decided: number) => number) =>
  ({ values, columns }: Table): number | null => {
    const rightMargin = new Float64Array(columns)
    const decidedMargin = new Float64Array(columns)
    let totalWeight = 0
    for (let i = 0; i < values.length; i++) {
      const weight = values[i] as number
      const right = Math.floor(i / columns)
      const decided = i % columns
      rightMargin[right] = (rightMargin[right] as number) + weight
      decidedMargin[decided] = (decidedMargin[decided] as number) + weight
      totalWeight += weight
    }
    let observed = 0
    let expected = 0
    for (let right = 0; right < columns; right++)
      for (let decided = 0; decided < columns; decided++) {
        const penalty = measureDisagreement(right, decided)
        const marginProduct = (rightMargin[right] as number) * (decidedMargin[decided] as number)
        observed += penalty * (values[right * columns + decided] as number)
        expected += (penalty * marginProduct) / totalWeight
      }
    return expected > 0 ? 1 - observed / expected : null
  }

/** Computes Cohen's kappa, the agreement beyond chance. All disagreements count alike. scikit-learn: `cohen_kappa_score` */
export const cohenKappa = createKappa((right, decided) => (right === decided ? 0 : 1))

/**
 * Computes Cohen's quadratic kappa, for ordered classes. Disagreements count by the squared distance of levels. scikit-learn:
 * `cohen_kappa_score(weights="quadratic")`
 */
export const quadraticKappa = createKappa((right, decided) => (right - decided) ** 2)
