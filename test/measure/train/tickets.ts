import { createRandom } from '../../../lib/runtime/random'

/** A text with the topic that it is about. */
export interface Ticket {
  readonly text: string
  readonly topic: string
}

/** Phrases by topic. */
const phrases: Readonly<Record<string, ReadonlyArray<string>>> = {
  billing: [
    'I was charged twice this month',
    'the invoice shows a wrong amount',
    'please refund my last payment',
    'my card was declined at checkout',
    'why did the price of my plan go up',
  ],
  delivery: [
    'my parcel has not arrived',
    'the courier left the box at the wrong door',
    'tracking has not moved for a week',
    'the package came damaged',
    'when will my order be shipped',
  ],
  login: [
    'I cannot sign in to my account',
    'the password reset email never comes',
    'the code for two factor login is refused',
    'my account is locked after three tries',
    'the sign in page only shows an error',
  ],
}

/** Sentences that say nothing about the topic. */
const fillers = [
  'I have been a customer for years',
  'please answer soon',
  'this is the second time I write',
  'thank you for your help',
  'I tried it on my phone and on my laptop',
  'nobody picks up the phone',
  'I am quite disappointed',
]

export const topics = Object.keys(phrases)

/** The share of tickets that mention another topic as well, so that nobody could be right about all of them. */
const mixedShare = 0.25

/** Draws tickets by chance. The same seed gives the same tickets. */
export const createTickets = (count: number, seed: number): ReadonlyArray<Ticket> => {
  const random = createRandom(seed)
  const pick = <A>(list: ReadonlyArray<A>): A => list[random.nextInt(list.length)] as A
  return Array.from({ length: count }, (_, i) => {
    const topic = pick(topics)
    const other = random.nextFloat() < mixedShare ? [pick(phrases[pick(topics)] ?? [])] : []
    const sentences = [pick(fillers), pick(phrases[topic] ?? []), ...other, pick(fillers)]
    // The number makes the texts different.
    return { topic, text: `${sentences.join('. ')}. Reference ${i}.` }
  })
}
