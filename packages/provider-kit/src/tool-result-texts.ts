/** What a model reads where a tool's result has no place for what the tool gave. */

/** Where a tool gave nothing: several vendors refuse an empty text. */
export const NO_OUTPUT = "(no output)"

/** In the result, where pictures stand in the message behind it. */
export const IMAGES_FOLLOW = "(see the attached images)"

/** Introduces that message. */
export const IMAGES_OF_TOOLS = "Images from the tool results above:"
