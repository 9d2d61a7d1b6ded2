import type { Language } from '../messages.ts';

export const language: Language = { label: 'English', dir: 'ltr' };
