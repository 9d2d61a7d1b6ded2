export const label = 'Русский';
