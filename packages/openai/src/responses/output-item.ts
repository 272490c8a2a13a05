/** One item of a response's output, while it arrives. */
import type { WireObject } from "@heddle/provider-kit"

/**
 * Writes one item to the builder, as one block or several. Made when the first is heard of the item.
 *
 * What arrives in pieces arrives once more as a whole, or as a whole only; either way it ends up in the
 * message once.
 */
export interface OutputItem {
  /** The vendor announces the item: what it is, and perhaps its name. */
  added(item: WireObject): void
  /** The item has arrived as a whole: what is missing is added, and its blocks are closed. */
  done(item: WireObject): void
  /**
   * It never arrived as a whole: another item has taken its place, or the response is over.
   *
   * @param isCut The response was cut off, and this item perhaps with it.
   */
  end(isCut: boolean): void
}
