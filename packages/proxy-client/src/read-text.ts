/**
 * Reads a body to its end, as text.
 *
 * A character may be split over chunks; the last piece of text may be empty.
 *
 * @param onText Returns true to stop the reading and close the connection.
 * @throws whatever the connection throws when it drops.
 */
export async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onText: (text: string) => boolean | void,
): Promise<void> {
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    const isEnough = onText(decoder.decode(value, { stream: !done }))
    if (done) return
    if (isEnough) return void reader.cancel().catch(() => {})
  }
}
