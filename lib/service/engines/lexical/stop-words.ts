const list = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/**
 * English words that say nothing about a state: function words, and words that questions are phrased with. They
 * are in lower case, without apostrophes.
 */
export const stopWords = list(
  `a about above after again all almost along already also although always am among an and any are
  around as at away back be became because become been before being below between both but by came
  can come could did do does doing done down during each either else even ever every few find for
  from further get gets give given go goes going gone got had has have having he her here hers him
  his however i if in into is it its itself just keep let like ll made make makes may me
  might mine more most much must my near of off often on once one only or other our ours out over
  own per perhaps put quite rather re really s same say says see seem seems several shall she should
  since so some someone something soon still such take than that the their theirs them then there
  these they thing this those though through thus to together too toward under until up upon us use
  used using ve very via was way we well were what whatever whether which while
  will with within would yes yet you your yours
  question kind sort type topic text message state content contain contains mention mentions
  describe describes belong belongs`,
)

/**
 * Words that questions begin with. In instructions they only frame the question, but they matter in a state
 * that is itself a question, and in an option that describes one.
 */
export const questionWords = list('how many when where who whom whose why')

/** Words that negate the words after them. Words that end in `n't` do so too. */
export const negators = list(
  'no not never none nobody nothing nowhere nor neither without cannot hardly barely',
)

/** Words that end the reach of a negation, as a comma does. */
export const turns = list('but however although though yet except')
