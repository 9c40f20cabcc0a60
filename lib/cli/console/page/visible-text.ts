import { visible } from 'pawl/kernel';
import { options } from 'preact';

/*
 * The one way of a text into the page. Keys, errors and notes are written by others, and may turn the text behind them around, or hide in it: what hides is
 * written out. What is sent back to the server, such as the value of a field, stays as it is.
 */

/** Attributes that a browser shows or reads out. */
const shownAttributes = ['title', 'aria-label', 'placeholder', 'label', 'alt'];
/** A body has lines; elsewhere a browser shows them as spaces. */
const kept = '\n\t';

/** Makes every text visible that any view renders from now on. */
export function showVisibleText(): void {
  const { vnode: before } = options;
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') makeVisible(vnode.props as Record<string, unknown>);
    before?.(vnode);
  };
}

function makeVisible(props: Record<string, unknown>): void {
  if ('children' in props) props['children'] = visibleIn(props['children']);
  for (const name of shownAttributes) {
    const value = props[name];
    if (typeof value === 'string') props[name] = visible(value);
  }
}

function visibleIn(children: unknown): unknown {
  if (typeof children === 'string') return visible(children, kept);
  return Array.isArray(children) ? children.map(visibleIn) : children;
}
