/**
 * Arithmetic as people write it, read by descent: `2 * (3 + 4)^2 / 5 % 3`, `-1.5e3`, `sqrt(2) * pi`.
 *
 * There is no `eval` here: nothing but numbers, these operators and these names can be said.
 */
const FUNCTIONS: Readonly<Record<string, (value: number) => number>> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  round: Math.round,
  floor: Math.floor,
  ceil: Math.ceil,
  ln: Math.log,
  log: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
}
const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }
const MAX_DEPTH = 100

/** @throws an Error that says at which character the expression stops making sense. */
export function calculate(expression: string): number {
  let at = 0
  let depth = 0

  const value = sum()
  if (at < expression.length) throw unexpected()
  if (!Number.isFinite(value)) throw new Error(`${expression} has no finite value`)
  return value

  function sum(): number {
    let left = product()
    for (;;) {
      if (take("+")) left += product()
      else if (take("-")) left -= product()
      else return left
    }
  }

  function product(): number {
    let left = signed()
    for (;;) {
      if (take("*") || take("×")) left *= signed()
      else if (take("/") || take("÷")) left /= signed()
      else if (take("%")) left %= signed()
      else return left
    }
  }

  function signed(): number {
    if (++depth > MAX_DEPTH) throw new Error(`The expression is nested deeper than ${MAX_DEPTH} levels`)
    const value = take("-") ? -signed() : take("+") ? signed() : power()
    depth--
    return value
  }

  /** Binds tighter than a sign before it, and to the right: -2^2 is -4, 2^3^2 is 2^9. */
  function power(): number {
    const base = atom()
    return take("^") || take("**") ? base ** signed() : base
  }

  function atom(): number {
    const number = match(/^\d+(?:\.\d*)?(?:e[+-]?\d+)?|^\.\d+(?:e[+-]?\d+)?/i)
    if (number !== undefined) return Number(number)
    if (take("(")) return closed(sum())
    const name = match(/^[a-z]+/i)?.toLowerCase() ?? ""
    if (Object.hasOwn(CONSTANTS, name)) return CONSTANTS[name] as number
    const apply = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (!apply) {
      at -= name.length
      throw unexpected()
    }
    if (!take("(")) throw unexpected()
    return apply(closed(sum()))
  }

  function closed(value: number): number {
    if (!take(")")) throw unexpected()
    return value
  }

  function take(token: string): boolean {
    skipSpace()
    if (!expression.startsWith(token, at)) return false
    // "**" is a power, not two products.
    if (token === "*" && expression[at + 1] === "*") return false
    at += token.length
    skipSpace()
    return true
  }

  function match(pattern: RegExp): string | undefined {
    skipSpace()
    const [found] = pattern.exec(expression.slice(at)) ?? []
    at += found?.length ?? 0
    skipSpace()
    return found
  }

  function skipSpace(): void {
    while (expression[at] === " " || expression[at] === "\t") at++
  }

  function unexpected(): Error {
    const found = expression[at]
    return new Error(
      found === undefined
        ? "The expression ends too early"
        : `Did not expect "${found}" at character ${at + 1} of the expression`,
    )
  }
}
