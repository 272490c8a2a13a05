/**
 * A pause without a timer, in which whoever waits for something runs.
 *
 * It is a little longer than a reader needs to take an event, so that one who is behind catches up, and one
 * who aborts at an event is heard before the next.
 */
export async function breathe(): Promise<void> {
  await undefined
  await undefined
}
