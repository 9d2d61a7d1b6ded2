export function Logo(props: { size?: number }) {
  const size = props.size ?? 28;
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" fill="var(--mantine-color-petrol-7)" />
      <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round">
        <path d="M10 16h7" />
        <path d="M17 16c3 0 2-6 6-6" />
        <path d="M17 16c3 0 2 6 6 6" />
      </g>
      <g fill="#fff">
        <circle cx="9" cy="16" r="2.8" />
        <circle cx="23.4" cy="10" r="2.4" />
        <circle cx="23.4" cy="22" r="2.4" />
      </g>
    </svg>
  );
}
