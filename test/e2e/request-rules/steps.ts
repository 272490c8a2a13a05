/**
 * A conversation without its words: who speaks after whom, which calls are made, which are answered.
 *
 * All vendors refuse a call without its result and a result without its call; they differ in what an id may be,
 * and in who may follow whom.
 */

/** A call, or the result of one. Gemini has calls without ids, which are told apart by their order. */
export interface CallReference {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/** What one side says until another one speaks. */
export type Step =
  | { readonly by: "user" }
  | { readonly by: "model"; readonly calls: readonly CallReference[] }
  | { readonly by: "tools"; readonly results: readonly CallReference[] }

export interface CallRules {
  readonly id: RegExp
  /** Two turns of the model in a row are refused. */
  readonly alternates: boolean
  /** The user may not speak right behind the tools. */
  readonly modelReadsResults?: boolean
}

export function stepViolations(steps: readonly Step[], rules: CallRules): string[] {
  const found: string[] = []
  const check = (holds: boolean, rule: string): void => void (holds || found.push(rule))
  const ids = new Set<string>()
  check(steps[0]?.by === "user", "a conversation begins with the user")
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1]
    const next = steps[index + 1]
    if (step.by === "user") {
      check(!rules.modelReadsResults || before?.by !== "tools", `step ${index}: the user follows the tools`)
    } else if (step.by === "tools") {
      check(before?.by === "model", `step ${index}: results of nothing`)
    } else {
      check(!rules.alternates || before?.by !== "model", `step ${index}: the model follows itself`)
      for (const { id } of step.calls) {
        if (id === undefined) continue
        check(rules.id.test(id), `step ${index}: the id ${JSON.stringify(id)} is not legal`)
        check(!ids.has(id), `step ${index}: the id ${JSON.stringify(id)} is taken`)
        ids.add(id)
      }
      const results = next?.by === "tools" ? next.results : []
      check(
        isPaired(step.calls, results),
        `step ${index}: calls ${told(step.calls)}, results ${told(results)}`,
      )
    }
  }
  return found
}

function isPaired(calls: readonly CallReference[], results: readonly CallReference[]): boolean {
  if (calls.length !== results.length) return false
  if (calls.some(({ id }) => id === undefined)) {
    return calls.every(({ id, name }, index) => id === results[index]?.id && name === results[index]?.name)
  }
  return calls.every(({ id, name }) => {
    const answers = results.filter((result) => result.id === id)
    return answers.length === 1 && [undefined, name].includes(answers[0]?.name)
  })
}

function told(references: readonly CallReference[]): string {
  return `[${references.map(({ id, name }) => id ?? name).join(", ")}]`
}

/** Joins what one side says in several entries of a body. */
export function joinSteps(steps: readonly Step[]): Step[] {
  const joined: Step[] = []
  for (const step of steps) {
    const last = joined.at(-1)
    if (step.by === "model" && last?.by === "model") {
      joined[joined.length - 1] = { by: "model", calls: [...last.calls, ...step.calls] }
    } else if (step.by === "tools" && last?.by === "tools") {
      joined[joined.length - 1] = { by: "tools", results: [...last.results, ...step.results] }
    } else joined.push(step)
  }
  return joined
}
