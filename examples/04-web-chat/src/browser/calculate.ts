/** Arithmetic with + - * / % ^ and brackets, read by precedence: there is no `eval`, and the page forbids it. */

const POWER: Readonly<Record<string, number>> = { "+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 4 }
const SIGN = 3
const MAX_LENGTH = 500

/** @throws an Error that says where the expression stops making sense. */
export function calculate(expression: string): number {
  if (expression.length > MAX_LENGTH) throw new Error(`An expression has at most ${MAX_LENGTH} characters`)
  const tokens = expression.match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\S/gi) ?? []
  let at = 0

  const value = operation(0)
  if (at < tokens.length) throw unexpected()
  if (!Number.isFinite(value)) throw new Error(`${expression} has no finite value`)
  return value

  /** Reads as far as operators bind tighter than `floor`. */
  function operation(floor: number): number {
    let left = operand()
    for (;;) {
      const operator = tokens[at] ?? ""
      const power = POWER[operator] ?? 0
      if (power <= floor) return left
      at++
      // To the right: 2^3^2 is 2^9.
      left = apply(operator, left, operation(operator === "^" ? power - 1 : power))
    }
  }

  function operand(): number {
    const token = tokens[at++] ?? ""
    if (token === "-") return -operation(SIGN)
    if (token === "+") return operation(SIGN)
    if (token === "(") {
      const inner = operation(0)
      if (tokens[at++] === ")") return inner
    } else if (/^[\d.]/.test(token) && token !== ".") return Number(token)
    at--
    throw unexpected()
  }

  function unexpected(): Error {
    const found = tokens[at]
    return new Error(found ? `Did not expect "${found}" in the expression` : "The expression ends too early")
  }
}

function apply(operator: string, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right
    case "-":
      return left - right
    case "*":
      return left * right
    case "/":
      return left / right
    case "%":
      return left % right
    default:
      return left ** right
  }
}
