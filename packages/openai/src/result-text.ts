/**
 * What a model reads of a tool's result: nothing on OpenAI's wires says that a tool failed, so the text does.
 *
 * @param otherwise Stands for a text that is empty.
 */
export function resultText(text: string, otherwise: string, isError: boolean): string {
  const says = text.trim() === "" ? otherwise : text
  return isError && !/^error\b/i.test(says) ? `Error: ${says}` : says
}
