import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { confirmed } from '../../lib/cli/confirm.ts';
import { screenOn } from '../../lib/cli/screen.ts';
import { ioOf } from '../support/in-process.ts';

function screen(onClosed?: () => void) {
  let all = '';
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      all += text;
      done();
    },
  });
  return { stream, on: screenOn(stream, onClosed), text: () => all };
}

it('writes one line, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const { on, text } = screen();
      on.line(`Not resolved: ${key}`);
      const written = text();
      expect(written.indexOf('\n')).toBe(written.length - 1);
      expect(written.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    }),
    { numRuns: 500 },
  );
});

it('sets the further lines of a message in, so that none passes for a line of pawl', () => {
  const { on, text } = screen();
  on.lines('Error: it failed\n17 messages redriven, 0 not.\u001b[1A');
  expect(text()).toBe('Error: it failed\n  17 messages redriven, 0 not.\\u001b[1A\n');
});

it('says once that its reader is gone, and writes nothing from then on', async () => {
  let closed = 0;
  const { stream, on } = screen(() => closed++);
  stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await new Promise((resolve) => stream.once('close', resolve));
  on.line('more');
  stream.emit('error', new Error('again'));
  await on.flushed();
  expect(closed).toBe(1);
});

it('a question shows what it is about as a line does, whoever wrote that', async () => {
  const { io, error } = ioOf('y');
  const step = 'Resolve charge\u202e\u001b[2J\n applied?';
  expect(await confirmed({ yes: false }, io, step)).toBe(true);
  expect(error()).toBe('Resolve charge\\u202e\\u001b[2J\\u000a applied? [y/N] ');
});
