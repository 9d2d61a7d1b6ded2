import type { Language } from '../messages.ts';

export const language: Language = { label: '简体中文', dir: 'ltr' };
