export const label = 'English';
