import type { CSSProperties } from 'react';

/** Drawn on a 24 grid with one stroke width, so that they look like one hand. */
const paths = {
  overview: 'M4 13a8 8 0 1 1 16 0M12 13l3.5-4M4 17h16',
  bot: 'M6 9.5h12a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-5.5a2 2 0 0 1 2-2ZM12 9.5V5.5M12 5.5h.01M9 14h.01M15 14h.01M2 13.5v2M22 13.5v2',
  chats:
    'M4 6.5A1.5 1.5 0 0 1 5.5 5h9A1.5 1.5 0 0 1 16 6.5v6a1.5 1.5 0 0 1-1.5 1.5H9l-3.5 3v-3h0A1.5 1.5 0 0 1 4 12.5ZM19 9.5a1.5 1.5 0 0 1 1.5 1.5v5.5a1.5 1.5 0 0 1-1.5 1.5h-.5v2.5l-3-2.5H12',
  route:
    'M6 18a2.5 2.5 0 1 0 0-.01ZM18 6a2.5 2.5 0 1 0 0-.01ZM8.5 18H15a3 3 0 0 0 0-6H9a3 3 0 0 1 0-6h6.5',
  phone:
    'M8.5 3h7A1.5 1.5 0 0 1 17 4.5v15a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 7 19.5v-15A1.5 1.5 0 0 1 8.5 3ZM11 18h2',
  key: 'M8 15.5a4 4 0 1 1 0-8 4 4 0 0 1 0 8ZM12 11.5h8.5M20.5 11.5v3.5M16.5 11.5v2.5M8 11.5h.01',
  gear: 'M12 15.200a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400ZM12 3v2.5M12 18.5V21M3 12h2.5M18.5 12H21M5.600 5.600l1.800 1.800M16.600 16.600l1.800 1.800M18.400 5.600l-1.800 1.800M7.400 16.600l-1.800 1.800',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.600 5.600l1 1M17.400 17.400l1 1M18.400 5.600l-1 1M6.600 17.400l-1 1',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5Z',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h9.5A1.5 1.5 0 0 1 20 10.5V20H10.5A1.5 1.5 0 0 1 9 18.5ZM15 9V4H5.5A1.5 1.5 0 0 0 4 5.5V15h5',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6 6 18',
  warn: 'M12 4 3 19.5h18ZM12 10v4.5M12 17h.01',
  info: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 11v5M12 8h.01',
  right: 'm9.5 5.5 6.5 6.5-6.5 6.5',
  left: 'M14.5 5.5 8 12l6.5 6.5',
  down: 'm6 9.5 6 6 6-6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  send: 'M4 12 20 4.5 15 20l-3.5-6.5ZM11.5 13.5 20 4.5',
  reply: 'M10 6 4 11.5l6 5.5v-3.5c5 0 8 1.5 10 4.5-.5-6-4-9-10-9Z',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  play: 'M7.5 5v14l11-7Z',
  replay: 'M5 12a7 7 0 1 0 2.200-5.100M5 4.5V8h3.5',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5c.5-4 3.5-6 7.5-6s7 2 7.5 6',
  group:
    'M9 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 19.5c.4-3.5 3-5 6.5-5s6.100 1.5 6.5 5M15.5 5.5a3.5 3.5 0 0 1 0 6.5M18 14.800c2 .7 3.200 2.200 3.5 4.700',
  tag: 'M4 5h7.5L20 13.5 13.5 20 4 10.5ZM8 9h.01',
  image:
    'M5.5 4.5h13A1.5 1.5 0 0 1 20 6v12a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18V6a1.5 1.5 0 0 1 1.5-1.5ZM4 16l4.5-4.5 4 4 3-3L20 16M15.5 8.5h.01',
  file: 'M6.5 3.5h7L18.5 8v11a1.5 1.5 0 0 1-1.5 1.5H6.5A1.5 1.5 0 0 1 5 19V5a1.5 1.5 0 0 1 1.5-1.5ZM13 3.5V9h5.5',
  up: 'M12 19V5M6 11l6-6 6 6',
  arrowDown: 'M12 5v14M6 13l6 6 6-6',
  out: 'M14 4.5h5.5V10M19.5 4.5 11 13M18 14v4.5A1.5 1.5 0 0 1 16.5 20h-11A1.5 1.5 0 0 1 4 18.5v-11A1.5 1.5 0 0 1 5.5 6H10',
  signOut: 'M10 4.5H5.5A1.5 1.5 0 0 0 4 6v12a1.5 1.5 0 0 0 1.5 1.5H10M15 8l4.5 4-4.5 4M19.5 12H9.5',
  dots: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  press:
    'M10 12V5.5a1.5 1.5 0 0 1 3 0V11l4.5 1a2 2 0 0 1 1.5 2.5l-1 4.5a2 2 0 0 1-2 1.5h-4a3 3 0 0 1-2.400-1.200L6 14.5a1.5 1.5 0 0 1 2-2Z',
  bolt: 'M13 3 5 13.5h5.5L10 21l8.5-11H13Z',
  pin: 'M9 4h6l-.8 6 3.300 3H6.5l3.300-3ZM12 13v7.5',
} as const;

export type IconName = keyof typeof paths;

export function Icon(props: {
  name: IconName;
  size?: number;
  className?: string;
  style?: CSSProperties;
}) {
  const size = props.size ?? 18;
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={props.name === 'dots' ? 2.8 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      className={props.className}
      style={{ flex: 'none', ...props.style }}
    >
      <path d={paths[props.name]} />
    </svg>
  );
}
