/** The catalogue has no such provider, or the provider no such model. `code` is `"unknown_model"`. */
export class UnknownModelError extends Error {
  override readonly name = "UnknownModelError"
  readonly code = "unknown_model"
  readonly provider: string
  /** Undefined: the provider itself is unknown. */
  readonly id: string | undefined
  /** Ids that look like the one asked for, or providers if the provider is unknown. Best first, at most three. */
  readonly near: readonly string[]

  constructor(provider: string, id: string | undefined, near: readonly string[]) {
    const what =
      id === undefined
        ? `The catalogue has no provider "${provider}".`
        : `The catalogue has no model "${id}" of "${provider}".`
    const hint = near.length > 0 ? ` Did you mean ${near.map((one) => `"${one}"`).join(" or ")}?` : ""
    super(`${what}${hint} Describe a model of your own with defineModel().`)
    this.provider = provider
    this.id = id
    this.near = near
  }
}

/** What was given to `defineModel` is not a model. `code` is `"invalid_model"`. */
export class InvalidModelError extends Error {
  override readonly name = "InvalidModelError"
  readonly code = "invalid_model"

  constructor(id: unknown, problem: string) {
    const which = typeof id === "string" && id !== "" ? ` "${id}"` : ""
    super(`The model${which} cannot be used: ${problem}.`)
  }
}
