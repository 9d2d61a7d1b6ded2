/* Text whose parts carry formatting, as it is written piece by piece, and Telegram's entities for it. */

export interface Mark {
  type:
    | 'bold'
    | 'italic'
    | 'underline'
    | 'strikethrough'
    | 'code'
    | 'pre'
    | 'text_link'
    | 'blockquote';
  url?: string;
  language?: string;
}

/** A text with the same marks throughout; the same object in several runs is one entity. */
export interface Run {
  text: string;
  marks: readonly Mark[];
}

export interface Entity extends Mark {
  offset: number;
  length: number;
}

export interface FormattedText {
  text: string;
  entities: Entity[];
}

const isVerbatim = ({ type }: Mark): boolean => type === 'code' || type === 'pre';

export class TextWriter {
  readonly runs: Run[] = [];
  /** Begins each line after the first of a block. */
  indent = '';
  #open: Mark[] = [];
  #breaks = 0;
  /** True after a bullet, whose text follows on the same line. */
  #isHeld = false;

  /** Telegram combines neither equal marks nor code with others; such a mark changes nothing. */
  open(mark: Mark): void {
    const isRefused = this.#open.some(
      (other) =>
        other.type === mark.type ||
        isVerbatim(other) ||
        (isVerbatim(mark) && other.type === 'text_link'),
    );
    if (!isRefused) this.#open.push(mark);
  }

  close(mark: Mark): void {
    this.#open = this.#open.filter((other) => other !== mark);
  }

  /** Ends the line before the next text; 2 leaves an empty line. */
  separate(breaks: number): void {
    if (this.runs.length > 0 && !this.#isHeld) this.#breaks = Math.max(this.#breaks, breaks);
  }

  /** Writes what begins a line, such as a bullet. */
  lead(text: string): void {
    this.write(text);
    this.#isHeld = true;
  }

  /** Call it if no text follows what was led in. */
  release(): void {
    this.#isHeld = false;
  }

  write(text: string): void {
    const marks = this.#marks();
    const clean = cleaned(text, marks.some(isVerbatim));
    if (clean === '') return;
    if (this.#breaks > 0) {
      const before = this.runs.at(-1)?.marks ?? [];
      const around = marks.filter((mark) => !isVerbatim(mark) && before.includes(mark));
      this.#push('\n'.repeat(this.#breaks) + this.indent, around);
      this.#breaks = 0;
    }
    this.#isHeld = false;
    this.#push(clean, marks);
  }

  /** Code stands alone, but for the quote around it. */
  #marks(): Mark[] {
    const verbatim = this.#open.find(isVerbatim);
    return verbatim
      ? this.#open.filter((mark) => mark.type === 'blockquote' || mark === verbatim)
      : [...this.#open];
  }

  #push(text: string, marks: Mark[]): void {
    const last = this.runs.at(-1);
    const isSame =
      last?.marks.length === marks.length && marks.every((mark) => last.marks.includes(mark));
    if (last && isSame) last.text += text;
    else this.runs.push({ text, marks });
  }
}

/** Telegram replaces these by spaces, and removes the others. */
const controls = /[^\P{Cc}\n\u007f-\u009f]/gu;
const removed = /\r|[\u2028-\u202e]|\u0333|\u033f|\u030a/g;

/** Telegram would change these characters itself, and with them the length of the text. */
function cleaned(text: string, isVerbatim: boolean): string {
  return text
    .replace(removed, '')
    .replace(/\t/g, isVerbatim ? '    ' : ' ')
    .replace(controls, ' ');
}

export function entitiesOf(runs: readonly Run[]): Entity[] {
  const entities: Entity[] = [];
  const open = new Map<Mark, Entity>();
  let offset = 0;
  for (const { text, marks } of runs) {
    for (const mark of marks) {
      const entity = open.get(mark);
      // Code in the middle interrupts the marks around it.
      if (entity && entity.offset + entity.length === offset) entity.length += text.length;
      else {
        const begun = { ...mark, offset, length: text.length };
        entities.push(begun);
        open.set(mark, begun);
      }
    }
    offset += text.length;
  }
  return entities.sort((a, b) => a.offset - b.offset || b.length - a.length);
}
