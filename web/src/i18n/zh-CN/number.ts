const format = new Intl.NumberFormat('zh-CN');

/** Formats a number before a measure word: “1,204 条更新”. */
export const number = (value: number): string => format.format(value);
