/** The form at the bottom: what is written, what waits, and the three ways to send it. */
import { create, find } from "./element.ts"

export interface ComposerActions {
  /** During a run: heard at its next turn. */
  send(text: string): void
  /** During a run: heard when it has nothing else left to do. */
  followUp(text: string): void
  stop(): void
}

export class Composer {
  readonly #form = find("#composer", HTMLFormElement)
  readonly #message = find("#message", HTMLTextAreaElement)
  readonly #send = find("#send", HTMLButtonElement)
  readonly #followUp = find("#follow-up", HTMLButtonElement)
  readonly #stop = find("#stop", HTMLButtonElement)
  readonly #keys = find("#keys", HTMLElement)
  readonly #waiting = find("#waiting", HTMLUListElement)
  readonly #actions: ComposerActions

  constructor(actions: ComposerActions) {
    this.#actions = actions
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault()
      this.#submit("send")
    })
    this.#followUp.addEventListener("click", () => this.#submit("followUp"))
    this.#stop.addEventListener("click", () => actions.stop())
    this.#message.addEventListener("keydown", (event) => {
      // Enter also ends a word in an input method: that is not sending.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
      event.preventDefault()
      this.#submit(event.altKey && !this.#followUp.hidden ? "followUp" : "send")
    })
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.#stop.hidden) actions.stop()
    })
  }

  showRunning(running: boolean): void {
    const left = document.activeElement === this.#stop || document.activeElement === this.#followUp
    this.#stop.hidden = this.#followUp.hidden = !running
    this.#send.textContent = running ? "Steer" : "Send"
    this.#keys.textContent = running
      ? "Enter steers at the next step, Alt+Enter follows up at the end, Escape stops."
      : "Enter sends, Shift+Enter makes a new line."
    // A button that disappears would take the focus with it.
    if (left && !running) this.#message.focus()
  }

  showWaiting(texts: readonly string[]): void {
    this.#waiting.replaceChildren(...texts.map((text) => create("li", "", text)))
    this.#waiting.hidden = texts.length === 0
  }

  /** Gives back what was not sent. */
  putBack(texts: readonly string[]): void {
    if (texts.length > 0) this.#message.value = [...texts, this.#message.value].join("\n").trimEnd()
  }

  focus(): void {
    this.#message.focus()
  }

  #submit(how: "send" | "followUp"): void {
    const text = this.#message.value.trim()
    this.#message.focus()
    if (text === "") return
    this.#message.value = ""
    this.#actions[how](text)
  }
}
