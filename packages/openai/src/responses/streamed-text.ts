/** A text that arrives in pieces, and then once more as a whole. */
export class StreamedText {
  #text = ""

  add(piece: string): void {
    this.#text += piece
  }

  /**
   * What a whole text says beyond the pieces: all of it where there were none, nothing where it says something
   * else than they did.
   *
   * @param whole Anything but a text says nothing.
   */
  rest(whole: unknown): string {
    if (typeof whole !== "string" || !whole.startsWith(this.#text)) return ""
    return whole.slice(this.#text.length)
  }
}
