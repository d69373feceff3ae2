/**
 * The question flags of `svc ask` and `svc batch`. Each may be repeated, once for every question. svc calls a yes/no question
 * `noul`.
 */
export const questionFlags = [
  { name: 'noul', type: 'strings', placeholder: 'key=instructions', summary: 'a yes/no question' },
  {
    name: 'choice',
    type: 'strings',
    placeholder: 'key=instructions:label1,label2,...',
    summary: 'a question with one label as its answer',
  },
  {
    name: 'score',
    type: 'strings',
    placeholder: 'key=instructions:level0|level1|...',
    summary: 'a question with a position on a scale as its answer',
  },
] as const

/** The declaration of `--permute` of `svc ask` and `svc batch`. */
export const permuteFlag = {
  name: 'permute',
  type: 'int',
  placeholder: 'n',
  min: 1,
  summary: 'ask choices in n orders of their options, and answer with the mean',
} as const
