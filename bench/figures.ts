/** The arithmetic of the tables. */

/** @returns undefined for no values. */
export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] as number
  return sorted.length % 2 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/**
 * How two contestants compare: the median of what they were to each other in each round.
 *
 * In one round they ran close to each other in time, so whatever else the machine did, it did to both.
 *
 * @param rounds Their figures, round by round; a round that one of them lacks does not count.
 */
export function ratio(
  rounds: readonly (number | undefined)[],
  others: readonly (number | undefined)[],
): number | undefined {
  const ratios = rounds.flatMap((value, round) => {
    const other = others[round]
    return value === undefined || !other ? [] : [value / other]
  })
  return median(ratios)
}

/** @returns `e` of `cost ~ work ** e`: 1 is linear. */
export function exponent(cost: number, moreCost: number, work: number, moreWork: number): number {
  return Math.log(moreCost / cost) / Math.log(moreWork / work)
}

/** Three significant digits, no more than a reader compares. */
export function short(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–"
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}
