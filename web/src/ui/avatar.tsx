import css from './ui.module.css';

const hues = [172, 205, 232, 262, 292, 330, 12, 28, 92, 140];

/** Initials on a colour that depends on the id. */
export function Avatar(props: { id: number; name: string; size?: number; square?: boolean }) {
  const size = props.size ?? 38;
  const hue = hues[Math.abs(props.id) % hues.length] ?? 172;
  return (
    <span
      className={css.avatar}
      aria-hidden="true"
      style={{
        width: size,
        height: size,
        fontSize: size * 0.38,
        background: `linear-gradient(160deg, hsl(${hue} 38% 42%), hsl(${hue} 46% 32%))`,
        ...(props.square ? { borderRadius: size * 0.3 } : {}),
      }}
    >
      {initials(props.name)}
    </span>
  );
}

function initials(name: string): string {
  const words = name
    .replace(/^@/, '')
    .split(/[\s_-]+/)
    .filter(Boolean);
  const first = letterOf(words[0] ?? '?');
  const second = letterOf(words[1] ?? '');
  return (first + second).toUpperCase();
}

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first grapheme: an emoji may have several code points. */
function letterOf(word: string): string {
  const [first] = letters.segment(word);
  return first?.segment ?? '';
}
