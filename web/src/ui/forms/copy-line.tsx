import { ActionIcon, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../icon.tsx';
import { toast } from '../feedback/toast.tsx';
import css from '../ui.module.css';

export function CopyLine(props: { text: string; label?: string }) {
  return (
    <div className={css.copyLine}>
      {/* Long lines scroll, so they must be reachable with the keyboard. */}
      <code tabIndex={0}>{props.text}</code>
      <CopyButton text={props.text} {...(props.label ? { label: props.label } : {})} />
    </div>
  );
}

export function CopyButton(props: { text: string; label?: string }) {
  const { common } = useT();
  const [copied, setCopied] = useState(false);
  const label = copied ? common.copied : (props.label ?? common.copy);
  async function copy(): Promise<void> {
    if (!(await copyText(props.text))) {
      toast(common.copyFailed, { tone: 'bad' });
      return;
    }
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1_600);
  }
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'petrol' : 'gray'}
        aria-label={label}
        onClick={() => void copy()}
      >
        <Icon name={copied ? 'check' : 'copy'} size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The clipboard API exists only on https and localhost; elsewhere execCommand works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // Give it a visible position, because the page scrolls to the focused element.
  area.style.cssText = 'position: fixed; top: 0; opacity: 0';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}
