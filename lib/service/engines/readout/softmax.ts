/**
 * Turns scores into probabilities that are proportional to e^(score / temperature). A temperature above 1 evens
 * the distribution out, one below 1 sharpens it. Equal scores give exactly equal probabilities.
 */
export const softmax = (
  scores: ReadonlyArray<number>,
  temperature: number,
): ReadonlyArray<number> => {
  const highest = Math.max(...scores)
  const masses = scores.map((score) => Math.exp((score - highest) / temperature))
  const total = masses.reduce((sum, mass) => sum + mass, 0)
  return masses.map((mass) => mass / total)
}
