import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { showVisibleText } from '../../../lib/cli/console/page/visible-text.ts';

/* What the page renders: each element as a view makes it. */

beforeAll(() => showVisibleText());

const propsOf = (node: { readonly props: unknown }) => node.props as Record<string, unknown>;

it('writes out what hides in every text of every element, and in what a browser shows or reads out', () => {
  const node = h('td', { title: 'a\u202eb', 'aria-label': 'c\u200bd' }, 'e\u0007f', [['g\u2066h'], 17], null);
  const { title, 'aria-label': label, children } = propsOf(node);
  expect([title, label]).toEqual([String.raw`a\u202eb`, String.raw`c\u200bd`]);
  expect(JSON.stringify(children)).toBe(JSON.stringify([String.raw`e\u0007f`, [[String.raw`g\u2066h`], 17], null]));
});

it('leaves what is sent back as it is, and the lines of a body', () => {
  expect(propsOf(h('input', { value: 'a\u202eb' }))['value']).toBe('a\u202eb');
  expect(propsOf(h('a', { href: '#\u202e' }))['href']).toBe('#\u202e');
  expect(propsOf(h('pre', {}, '{\n\t1\n}'))['children']).toBe('{\n\t1\n}');
});
