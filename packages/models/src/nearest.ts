/** How many suggestions help; more are a list. */
const MOST = 3

/** @returns the candidates that are spelled most like the word, best first; none that are mostly different. */
export function nearest(word: string, candidates: readonly string[]): string[] {
  return candidates
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.min(word.length, candidate.length) / 2)
    .sort((one, other) => one.edits - other.edits)
    .slice(0, MOST)
    .map(({ candidate }) => candidate)
}

/** Letters to insert, delete or replace on the way from one word to the other (Levenshtein). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
