/** The few lines of DOM that the views share. Text is always text: nothing a model writes is read as HTML. */

export function create<TName extends keyof HTMLElementTagNameMap>(
  name: TName,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[TName] {
  const element = document.createElement(name)
  element.className = className
  element.append(...children)
  return element
}

/** @throws when the page and this script do not fit together. */
export function find<TElement extends HTMLElement>(selector: string, type: new () => TElement): TElement {
  const element = document.querySelector(selector)
  if (element instanceof type) return element
  throw new Error(`The page has no ${selector}`)
}
