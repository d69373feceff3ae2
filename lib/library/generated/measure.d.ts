/** A record as it stands in a file, and its text. */
export interface StoredRecord {
    readonly index?: number;
    readonly labels?: Readonly<Record<string, boolean | string | number | null>>;
    readonly answers?: Readonly<Record<string, unknown>>;
    readonly error?: unknown;
    readonly [member: string]: unknown;
    /** The record's line. `JSON.stringify` leaves this out. */
    readonly json: string;
}
/** Reads the records of a run, one a line, from a file or a stream of bytes. Throws where a line is no record. */
export declare function readRun(source: string | AsyncIterable<Uint8Array>): AsyncGenerator<StoredRecord, void, undefined>;
/** How figures are computed. */
export interface EvaluateOptions {
    /** The seed of the bootstrap, 0 by default. */
    readonly seed?: number;
    /** Computes the figures of each group too. */
    readonly byGroup?: boolean;
}
/** The figures that are single numbers. `svc help measuring` explains them. */
export type Figure = 'accuracy' | 'balanced_accuracy' | 'macro_f1' | 'brier_score' | 'log_loss' | 'roc_auc' | 'average_precision' | 'ece' | 'ece_expected' | 'exact' | 'adjacent' | 'mean_absolute_error' | 'ranked_probability_score' | 'quadratic_kappa';
/** The figures of one question. Null stands where one cannot be had, and `why` says why. */
export type QuestionFigures = {
    readonly [F in Figure]?: number | null;
} & {
    readonly type: 'noul' | 'choice' | 'score';
    /** The number of labelled rows, and how many independent ones they are worth where that differs. */
    readonly n: number;
    readonly n_effective?: number;
    readonly groups?: number;
    readonly baseline: {
        readonly label: string | null;
        readonly accuracy: number | null;
    } | null;
    /** Intervals of 95 %, by figure. */
    readonly intervals: Readonly<Record<string, {
        readonly low: number;
        readonly high: number;
    }>>;
    readonly why: Readonly<Record<string, string>>;
};
/** The figures of a run, as `svc eval` prints them. */
export interface Evaluation {
    readonly rows: number;
    readonly answered: number;
    readonly labelled: number;
    readonly refused?: number;
    readonly bootstrap: {
        readonly draws: number;
        readonly seed: number;
    };
    readonly questions: Readonly<Record<string, QuestionFigures>>;
    readonly groups?: Readonly<Record<string, {
        readonly questions: Readonly<Record<string, QuestionFigures>>;
    }>>;
}
/** Says how right and how calibrated the answers of a run are, by its labels. Rejects where it has none. */
export declare const evaluate: (run: Records, { seed, byGroup }?: EvaluateOptions) => Promise<Evaluation>;
/** What a policy is to reach. */
export interface CalibrateOptions {
    /** Targets such as `precision=0.95`, or `billing:recall=0.9` for one question. */
    readonly targets: ReadonlyArray<string>;
    /** The confidence with which they hold, 0.95 by default. */
    readonly confidence?: number;
    readonly method?: 'auto' | 'none' | 'temperature' | 'platt';
    readonly seed?: number;
}
/** The policy for one question: how its probabilities are corrected, and from where on its answers are accepted. */
export interface QuestionPolicy {
    readonly type: 'noul' | 'choice' | 'score';
    readonly questions_sha256: string;
    readonly models: ReadonlyArray<string>;
    readonly map: {
        readonly method: string;
    } | null;
    readonly cut: {
        /** Null where no cut reaches the target with confidence; every answer then goes to review. */
        readonly at: number | null;
        readonly scale: 'noul' | 'top';
        readonly n: number;
        readonly low: number | null;
        readonly needs?: number;
        readonly why?: string;
    };
    readonly n: number;
}
/** A policy, as `svc calibrate` writes it to `policy.json`. */
export interface CalibratedPolicy {
    readonly questions: Readonly<Record<string, QuestionPolicy>>;
}
/** Finds out from labels which answers to accept. `applyPolicy` and `batch` take the result. */
export declare const calibrate: (run: Records, { targets, confidence, method, seed }: CalibrateOptions) => Promise<CalibratedPolicy>;
/** How two runs are compared. */
export interface CompareOptions {
    /** Pairs rows by their id, for two wordings of a question. */
    readonly byId?: boolean;
    readonly seed?: number;
}
/** How two runs differ, as `svc compare` prints it. */
export interface Difference {
    readonly paired: number;
    readonly questions: Readonly<Record<string, QuestionDifference>>;
}
/** How the answers of two runs to one question differ. */
export interface QuestionDifference {
    readonly paired: number;
    readonly agreement: number | null;
    readonly kappa: number | null;
    readonly flipped: number;
    readonly mean_shift: number | null;
    readonly [figure: string]: unknown;
}
/** Compares two runs row by row. Rejects where no row was answered in both. */
export declare const compare: (a: Records, b: Records, { byId, seed }?: CompareOptions) => Promise<Difference>;
/** Which rows are drawn. */
export interface SampleOptions {
    readonly size: number;
    /** What the rows are for: a look at the unsure ones (`review`), or figures of the whole run (`measure`). */
    readonly for: 'review' | 'measure';
    readonly by?: 'margin' | 'disagree';
    /** The share of rows drawn at random: 0.3 for a review, 1 for figures. */
    readonly explore?: number;
    readonly seed?: number;
}
/** Draws rows for a person to label: records with empty labels, and the chance that each had. */
export declare const sample: (run: Records, { size, for: purpose, by, explore, seed }: SampleOptions) => Promise<ReadonlyArray<Omit<StoredRecord, 'json'> & {
    readonly p: number | null;
}>>;
/** The records of a run: those of `batch` or `readRun`, or lines of a run parsed by `JSON.parse`. */
export type Records = Iterable<object> | AsyncIterable<object>;
export {}
