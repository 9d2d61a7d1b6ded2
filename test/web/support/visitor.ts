import type { APIResponse, Browser, BrowserContext, Page } from 'playwright-core';
import { patienceMs } from '../../support/patience.ts';
import type { PageService } from './page-service.ts';

/** A browser page; errors of its console are recorded. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  complaints: string[];
}

export async function openPage(
  browser: Browser,
  options: { colorScheme?: 'light' | 'dark'; width?: number; locale?: string } = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: 800 },
    colorScheme: options.colorScheme ?? 'light',
    locale: options.locale ?? 'en-US',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { context, page, complaints };
}

/** Adds Anna, the first account, without the page; the session belongs to the browser context. */
export async function addFirstAccount(
  { request }: BrowserContext,
  { address, setupLink }: PageService,
): Promise<void> {
  const token = setupLink.split('token=')[1];
  const data = { token, username: 'anna', password: 'correct horse' };
  await succeed(request.post(`${address}/api/auth/setup`, { data }));
}

/** Signs in without the page. */
export async function signIn(
  { request }: BrowserContext,
  { address }: PageService,
  account: { username: string; password: string },
): Promise<void> {
  const { username, password } = account;
  await succeed(request.post(`${address}/api/auth/sign-in`, { data: { username, password } }));
}

async function succeed(asked: Promise<APIResponse>): Promise<void> {
  const answer = await asked;
  if (!answer.ok()) throw new Error(await answer.text());
}

/** Uses the set-up link; the session then belongs to the page's browser context. */
export async function createFirstAccount(page: Page, service: PageService): Promise<void> {
  await page.goto(service.setupLink);
  await page.getByLabel('Username').fill('anna');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL(({ pathname }) => pathname !== '/setup');
  await page.getByRole('heading', { level: 1 }).waitFor();
}
