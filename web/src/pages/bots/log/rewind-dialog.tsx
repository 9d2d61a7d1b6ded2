import { NumberInput, Radio, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Reader, rewind } from '../../../api/readers.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Dialog } from '../../../ui/feedback/dialog.tsx';
import { FormEnd } from '../../../shared/form-end.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { readerName } from './reader-name.ts';
import { withoutReload } from '../../../ui/forms/without-reload.ts';

type Where = 'start' | 'day' | 'hour' | 'position' | 'end';
const spans = { hour: 3_600, day: 86_400 };

/** Chooses where a reader continues: further back, to read updates again, or at the end, to skip them. */
export function RewindDialog(props: { botId: number; reader: Reader; onClose: () => void }) {
  const { botId, reader } = props;
  const t = useT();
  const { deliveries } = t;
  const client = useQueryClient();
  const [where, setWhere] = useState<Where>('hour');
  const [position, setPosition] = useState<number | string>(reader.position);
  const refresh = () => {
    for (const key of ['deliveries', 'apps']) {
      void client.invalidateQueries({ queryKey: [key, botId] });
    }
  };
  const back = useAction({ run: rewind, done: refresh });
  const move = useAction({
    run: () => rewind({ bot_id: botId, reader: reader.reader, ...target(where, position) }),
    quiet: true,
    done: ({ previous_position, read_again, skipped }) => {
      refresh();
      props.onClose();
      return {
        words: skipped > 0 ? deliveries.willSkip(skipped) : deliveries.willReadAgain(read_again),
        undo: () =>
          back.mutate({ bot_id: botId, reader: reader.reader, position: previous_position }),
      };
    },
  });
  const choices: Where[] = ['hour', 'day', 'start', 'position', 'end'];
  return (
    <Dialog onClose={props.onClose} title={deliveries.rewindTitle(readerName(reader, t))}>
      <form onSubmit={withoutReload(() => move.mutate(undefined))}>
        <p style={{ marginTop: 0 }}>{deliveries.rewindMeans[reader.kind]}</p>
        <Radio.Group
          label={deliveries.rewindWhere}
          value={where}
          onChange={(value) => setWhere(value as Where)}
        >
          <Stack gap={9} mt={8}>
            {choices.map((choice) => (
              <Radio key={choice} value={choice} label={deliveries.rewindTo[choice]} />
            ))}
          </Stack>
        </Radio.Group>
        {where === 'position' ? (
          <NumberInput
            mt="sm"
            label={deliveries.rewindPosition}
            description={deliveries.rewindPositionHint}
            min={0}
            allowDecimal={false}
            value={position}
            onChange={setPosition}
          />
        ) : null}
        <FormEnd
          submit={deliveries.rewindDo}
          error={move.error}
          busy={move.isPending}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

function target(where: Where, position: number | string) {
  if (where === 'start' || where === 'end') return { to: where };
  if (where === 'position') return { position: Number(position) };
  return { since: Math.floor(Date.now() / 1_000) - spans[where] };
}
