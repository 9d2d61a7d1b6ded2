import type { Locator, Page } from 'playwright-core';

/** The properties that tests read; DOM types are not available here. */
export interface Drawn {
  clientHeight: number;
  clientWidth: number;
  naturalWidth: number;
  scrollHeight: number;
  scrollTop: number;
  scrollWidth: number;
  textContent: string;
  click(): void;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): { x: number; width: number };
  getClientRects(): { length: number };
}

/** Runs within the page. */
export function ask<Answer>(locator: Locator, read: (element: Drawn) => Answer): Promise<Answer> {
  return locator.evaluate(read as never);
}

export function askAll<Answer>(
  locator: Locator,
  read: (elements: Drawn[]) => Answer,
): Promise<Answer> {
  return locator.evaluateAll(read as never);
}

export const isFocused = ((element: unknown) =>
  element ===
  (globalThis as unknown as { document: { activeElement: unknown } }).document
    .activeElement) as never;

export async function waitUntilFocused(field: Locator): Promise<void> {
  await field.and(field.page().locator(':focus')).waitFor();
}

/** A message may be shown before its sending is answered; until then, no other one is sent. */
export async function waitUntilSent(within: Locator | Page): Promise<void> {
  await within.getByRole('button', { name: 'Send', exact: true, disabled: false }).waitFor();
}

export async function inView(locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox();
  const height = locator.page().viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}
