/** The `ref` of what an address names: the page scrolls there. */
export function showInMiddle(element: Element | null): void {
  element?.scrollIntoView({ block: 'center' });
}
